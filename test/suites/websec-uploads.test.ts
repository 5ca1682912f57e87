import type { Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { openSocket, rawRequest, sendRaw, statusLine } from '../helpers/raw.ts'
import { serveHere } from '../helpers/serve-here.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { counted, notice, share, sized } from './size.ts'
import { peakMemory } from './websec/memory.ts'

const { add: count } = counted('websec')

const megabyte = 1024 * 1024
const largest = 10 * megabyte
const json = { host: 'localhost', 'content-type': 'application/json' }

interface Refused {
  path?: string
  method?: string
  /** Additional or changed headers. */
  headers?: Record<string, string>
  withKey?: true
  message: string
}

const unauthorized = 'the API key is missing or invalid'

const refused: Readonly<Record<string, Refused>> = {
  'no key': { message: unauthorized },
  'a wrong key': { headers: { authorization: 'Bearer wrong' }, message: unauthorized },
  'no key and an unknown path': { path: '/v1/nothing', message: unauthorized },
  'an unknown path': { path: '/v1/nothing', withKey: true, message: 'no such operation' },
  'an unsupported method': { method: 'PATCH', withKey: true, message: 'no such operation' },
  'a body above the size limit': {
    headers: { 'content-length': String(largest + 1) },
    withKey: true,
    message: 'the body is larger than 10485760 bytes',
  },
  'a foreign host': { headers: { host: 'evil.test' }, withKey: true, message: 'the Host header' },
  'a foreign origin': { headers: { origin: 'http://evil.test' }, withKey: true, message: 'the Origin' },
  'a path outside the API': { path: '/readyz', message: unauthorized },
}

async function served() {
  const serving = await serveHere()
  const authorization = `Bearer ${serving.apiKey}`
  const head = (headers: Record<string, string>, request = 'POST /v1/users') =>
    rawRequest(request, { ...json, ...headers })
  return { ...serving, authorization, head }
}

/**
 * Sends a whole body before reading, and returns the response.
 * @throws the error of a reset connection
 */
function upload(socket: Socket, head: string, body: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('latin1').pause()
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject).on('close', () => resolve(text))
    socket.write(head)
    socket.write(body, () => socket.resume())
  })
}

describe('refusals by headers', () => {
  for (const [name, { path = '/v1/users', method = 'POST', headers, withKey, message }] of Object.entries(
    refused,
  ))
    test(`a request with ${name} gets the status 400`, async () => {
      count('vectors')
      const { origin, authorization, head } = await served()
      const text = head(
        { 'content-length': String(largest - 1), ...(withKey && { authorization }), ...headers },
        `${method} ${path}`,
      )
      const response = await upload(await openSocket(origin), text, Buffer.alloc(largest - 1, 0x20))
      expect(statusLine(response)).toBe('HTTP/1.1 400 Bad Request')
      expect(response).toContain(message)
      expect(response).toMatch(/^connection: close$/im)
    })
})

test('the service disconnects a refused client with an endless body', async () => {
  count('vectors')
  const { origin, head } = await served()
  const text = await sendRaw(origin, head({ 'transfer-encoding': 'chunked' }), '1\r\n \r\n')
  expect(text.match(/^HTTP/gm)).toHaveLength(1)
  expect(statusLine(text)).toBe('HTTP/1.1 400 Bad Request')
})

test('the service ignores a request after a refused body on the same connection', async () => {
  count('vectors')
  const { origin, head, authorization } = await served()
  const next = rawRequest('GET /v1/rooms', { host: 'localhost', authorization })
  const text = await sendRaw(origin, head({ 'content-length': '5' }), `hello${next}`)
  expect(text.match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 400'])
})

async function ask(
  origin: string,
  head: string,
): Promise<{ socket: Socket; line: string; rest(): Promise<string> }> {
  const socket = await openSocket(origin)
  socket.setEncoding('latin1').on('error', () => {})
  let text = ''
  const first = new Promise<void>((resolve) => {
    socket.on('data', (chunk) => {
      text += chunk
      resolve()
    })
  })
  const closed = new Promise<string>((resolve) => socket.on('close', () => resolve(text)))
  socket.write(head)
  await first
  return { socket, line: text.split('\r\n', 1)[0] ?? '', rest: () => closed }
}

describe('a request with Expect: 100-continue', () => {
  const expecting = { expect: '100-continue', 'content-length': '17' }

  test('a refused request with Expect: 100-continue gets only a 400 response', async () => {
    const { origin, head, authorization } = await served()
    const tooLong = { ...expecting, authorization, 'content-length': String(largest + 1) }
    // The connections wait concurrently, because each closes only after two seconds.
    const refusals = [expecting, tooLong].map(async (headers) => {
      count('vectors')
      const { rest } = await ask(origin, head(headers))
      expect((await rest()).match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 400'])
    })
    await Promise.all(refusals)
  })

  test('an accepted request with Expect: 100-continue gets a 100 and a 200 response', async () => {
    count('vectors')
    const { origin, head, authorization } = await served()
    const { socket, line, rest } = await ask(origin, head({ ...expecting, authorization }))
    expect(line).toBe('HTTP/1.1 100 Continue')
    socket.write('{"user_id":"u-1"}')
    expect((await rest()).match(/^HTTP\/1.1 \d+/gm)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200'])
  })
})

describe('request bodies beyond 64 MB in total', () => {
  /** Reserves 60 MB with six requests that have permission to send but send nothing. */
  async function fill() {
    const service = await served()
    const { origin, head, authorization } = service
    const expecting = { expect: '100-continue', authorization, 'content-length': String(largest) }
    const one = () => ask(origin, head(expecting))
    const waiting = []
    for (let i = 0; i < 6; i++) waiting.push(await one())
    for (const { line } of waiting) expect(line).toBe('HTTP/1.1 100 Continue')
    return { ...service, one, waiting }
  }

  test('a request gets a 429 response if the pending request bodies exceed 64 MB', async () => {
    count('vectors')
    const { origin, head, authorization, waiting } = await fill()
    const large = await sendRaw(origin, head({ authorization, 'content-length': String(largest) }))
    expect(statusLine(large)).toBe('HTTP/1.1 429 Too Many Requests')
    expect(large).toMatch(/^retry-after: 1$/im)
    const body = '{"user_id":"u-1"}'
    const small = await sendRaw(origin, head({ authorization, 'content-length': String(body.length) }), body)
    expect(statusLine(small)).toBe('HTTP/1.1 200 OK')
    for (const { socket } of waiting) socket.destroy()
  })

  test('a chunked request gets a 429 response if the pending request bodies exceed 64 MB', async () => {
    count('vectors')
    const { origin, head, authorization } = await fill()
    const chunk = `${megabyte.toString(16)}\r\n${' '.repeat(megabyte)}\r\n`
    const chunks = [...Array<string>(6).fill(chunk), '0\r\n\r\n']
    const text = await sendRaw(origin, head({ authorization, 'transfer-encoding': 'chunked' }), ...chunks)
    expect(statusLine(text)).toBe('HTTP/1.1 429 Too Many Requests')
  })

  test('a request at the limit of 64 MB is accepted after an earlier request completes', async () => {
    count('vectors')
    const { waiting, one } = await fill()
    const [first] = waiting
    const body = '{"user_id":"u-1"}'
    first?.socket.write(body.padEnd(largest))
    expect(await first?.rest()).toContain('HTTP/1.1 200 OK')
    expect((await one()).line).toBe('HTTP/1.1 100 Continue')
  })
})

describe('an authorized body of 10 MB', () => {
  const shapes = {
    'is refused if it is nested too deeply': ['[', 'the body is nested more than 100 levels deep'],
    'is refused if its objects are nested too deeply': [
      '{"a":',
      'the body is nested more than 100 levels deep',
    ],
    'is refused if it has too many values': [',', 'the body is too large: more than 100000 values'],
    'is refused if it is not UTF-8': ['\xff', 'the body is not valid UTF-8'],
  } as const

  for (const [name, [piece, message]] of share(Object.entries(shapes), 0, 2))
    test(`an authorized body of 10 MB ${name}`, async () => {
      count('vectors')
      const { origin, head, authorization } = await served()
      const body = Buffer.from(`[${piece.repeat(largest)}`, 'latin1').subarray(0, largest)
      const text = head({ authorization, 'content-length': String(largest) })
      const response = await upload(await openSocket(origin), text, body)
      expect(statusLine(response)).toBe('HTTP/1.1 400 Bad Request')
      expect(response).toContain(message)
    })
})

test('concurrent uploads of 10 MB without a key use less than 400 MB of memory', async () => {
  const connections = sized(50, 400)
  count('connections', connections)
  const { ready } = await startServe(['--ephemeral', '--quiet'], homes())
  const { origin } = new URL(ready.base_url)
  const body = Buffer.alloc(largest, 0x20)
  const head = rawRequest('POST /v1/users', { ...json, 'content-length': String(largest) })
  const send = async () => statusLine(await sendRaw(origin, head, body))
  const statuses = await Promise.all(Array.from({ length: connections }, send))
  expect(new Set(statuses)).toEqual(new Set(['HTTP/1.1 400 Bad Request']))
  const peak = peakMemory(ready.pid)
  if (peak === undefined)
    return notice('websec', 'the operating system does not report the memory of a process')
  expect(peak).toBeLessThan(400 * megabyte)
})
