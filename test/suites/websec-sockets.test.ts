import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSocket } from '../helpers/raw.ts'
import { counted, share } from './size.ts'
import { closing, frame, frameGroups } from './websec/frames.ts'
import { type Handshake, refusedHandshakes, welcomeHandshakes } from './websec/handshakes.ts'
import { converse, startService } from './websec/targets.ts'

const { add: count } = counted('websec')

let service: Awaited<ReturnType<typeof startService>>
/** Values of the placeholders in braces. */
let names: Record<string, string>
const dir = mkdtempSync(join(tmpdir(), 'meetroom-websec-'))

beforeAll(async () => {
  service = await startService(dir)
  const { room } = await ask('POST', '/rooms', { name: 'Open', type: 'open' })
  const { room: closed } = await ask('POST', '/rooms', { name: 'Private', type: 'private' })
  const { user } = await ask('POST', '/users', { user_id: 'ada' })
  names = { room: room.id, private: closed.id, token: user.access_token, key: service.apiKey }
})
afterAll(async () => {
  await service.close()
  rmSync(dir, { recursive: true })
})

async function ask(method: string, path: string, body?: object): Promise<any> {
  const headers = { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' }
  const answer = await fetch(service.baseUrl + path, {
    method,
    headers,
    body: body ? JSON.stringify(body) : null,
  })
  expect(answer.status).toBe(200)
  return answer.json()
}

async function state(): Promise<unknown> {
  const ids = async (room: string | undefined) => {
    const { sessions } = await ask('GET', `/rooms/${room}/sessions?limit=1`)
    return sessions.map(({ id, member_id }: Record<string, string>) => [id, member_id])
  }
  return [await ids(names['room']), await ids(names['private'])]
}

function request({
  line = 'GET /v1/rooms/{room}/connect HTTP/1.1',
  headers = {},
  behind = '',
}: Handshake): string {
  const all: Record<string, string[]> = {
    Host: ['localhost:4680'],
    Upgrade: ['websocket'],
    Connection: ['Upgrade'],
    'Sec-WebSocket-Version': ['13'],
    'Sec-WebSocket-Key': ['dGhlIHNhbXBsZSBub25jZQ=='],
    ...headers,
  }
  const lines = Object.entries(all).flatMap(([name, values]) => values.map((value) => `${name}: ${value}`))
  return `${[line, ...lines].join('\r\n')}\r\n\r\n${behind}`.replace(
    /\{(\w+)\}/g,
    (_, name) => names[name] ?? '',
  )
}

async function shake(handshake: Handshake, ...parts: Uint8Array[]) {
  const text = await converse(service.origin, Buffer.concat([Buffer.from(request(handshake)), ...parts]))
  const end = text.indexOf('\r\n\r\n')
  return { text, status: text.split('\r\n', 1)[0], frames: read(Buffer.from(text.slice(end + 4), 'latin1')) }
}

function read(bytes: Buffer): { opcode: number; payload: Buffer }[] {
  if (bytes.length < 2) return []
  const short = Number(bytes[1]) & 127
  const head = short === 126 ? 4 : short === 127 ? 10 : 2
  const length =
    short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  const payload = bytes.subarray(head, head + length)
  return [{ opcode: Number(bytes[0]) & 15, payload }, ...read(bytes.subarray(head + length))]
}

const switching = 'HTTP/1.1 101 Switching Protocols'

describe('an allowed WebSocket request', () => {
  test.each(welcomeHandshakes)(
    'the service opens a WebSocket for an allowed request (vector: %s)',
    async (_, handshake) => {
      count('vectors')
      const { status, frames } = await shake(handshake, closing(1000))
      expect(status).toBe(switching)
      expect(frames.map(({ opcode }) => opcode)).toEqual([1, 8])
    },
  )
})

describe.each(Object.entries(refusedHandshakes))('a refused WebSocket request: %s', (group, vectors) => {
  test.each(share(vectors, 0, 2))(
    `the service opens no WebSocket for ${group} (vector: %s)`,
    async (_, handshake) => {
      count('vectors')
      const before = await state()
      const { text, frames } = await shake(handshake)
      expect(text).not.toContain(switching)
      expect(text).toMatch(/^(HTTP\/1\.1 4\d\d |$)/)
      expect(frames).not.toContainEqual(expect.objectContaining({ opcode: 1 }))
      expect(await state()).toEqual(before)
      expect((await shake({}, closing(1000))).status).toBe(switching)
    },
  )
})

describe.each(Object.entries(frameGroups))('a client in a room that sends %s', (group, vectors) => {
  test.each(share(vectors, 0, 2))(
    `the service responds to ${group} with the expected close code (vector: %s)`,
    async (_, bytes, code) => {
      count('vectors')
      const visitor = await openVisitor()
      const { status, frames } = await shake({}, bytes, ...(code === 1000 ? [closing(1000)] : []))
      expect(status).toBe(switching)
      expect(frames.at(-1)).toMatchObject({ opcode: 8 })
      expect(frames.at(-1)?.payload.readUInt16BE(0)).toBe(code)
      expect(Object.prototype).not.toHaveProperty('polluted')
      // Other participants receive only their own greeting.
      expect((await visitor.leave()).map(({ payload }) => JSON.parse(String(payload)).event)).toEqual([
        'joined',
      ])
    },
  )
})

async function openVisitor() {
  const socket = await openSocket(service.origin)
  let text = ''
  const greeted = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      if (text.includes('joined')) resolve()
    })
  })
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.write(request({}))
  await greeted
  return {
    async leave() {
      socket.write(closing(1000))
      await closed
      return read(Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1')).filter(
        ({ opcode }) => opcode === 1,
      )
    },
  }
}

test('the service disconnects a client that sends pings and reads no responses', async () => {
  count('vectors')
  const socket = await openSocket(service.origin)
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.on('error', () => {})
  socket.pause()
  socket.write(request({}))
  const pings = Buffer.concat(
    Array.from({ length: 10_000 }, () => frame({ opcode: 9, payload: 'x'.repeat(125) })),
  )
  let sent = 0
  const send = () => {
    while (!socket.destroyed && sent < 64) {
      sent++
      if (!socket.write(pings)) return void socket.once('drain', send)
    }
  }
  send()
  await closed
  expect(sent).toBeLessThan(64)
})
