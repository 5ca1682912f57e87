import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { openSocket, rawRequest, upgradeHeaders } from '../helpers/raw.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { counted, notice, sized } from './size.ts'
import { peakMemory } from './websec/memory.ts'

const { add: count } = counted('websec')

const megabyte = 1024 * 1024

async function served() {
  const { ready } = await startServe(['--ephemeral', '--quiet'], homes())
  const authorization = `Bearer ${readFileSync(ready.api_key_file, 'utf8').trim()}`
  const before = peakMemory(ready.pid)
  if (before === undefined) notice('websec', 'the operating system does not report the memory of a process')

  async function ask(path: string, body: string | Buffer): Promise<any> {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(ready.base_url + path, {
      method: 'POST',
      headers,
      body,
    })
    expect(response.status).toBe(200)
    return response.json()
  }

  return {
    ask,
    async room(): Promise<string> {
      return (await ask('/rooms', '{"name":"Open","type":"open"}')).room.id
    },
    async join(room: string, headers: Record<string, string> = {}): Promise<Socket> {
      const socket = await openSocket(new URL(ready.base_url).origin)
      socket.on('error', () => {})
      const connect = `GET /v1/rooms/${room}/connect`
      socket.write(rawRequest(connect, { host: 'localhost', ...upgradeHeaders, ...headers }))
      await new Promise((resolve) => socket.once('data', resolve))
      return socket.pause()
    },
    /** Returns the growth of the peak memory, in bytes; 0 if unknown. */
    grown: () => (before === undefined ? 0 : (peakMemory(ready.pid) ?? Number.POSITIVE_INFINITY) - before),
  }
}

test('room views with 8 MB of pages use less than 180 MB of memory for clients that read nothing', async () => {
  const { ask, room, join, grown } = await served()
  const id = await room()
  const src = `https://example.com/${'x'.repeat(40_000)}`
  const page = { entities: [{ type: 'Image', src }] }
  await ask(`/rooms/${id}/pages/create_many`, JSON.stringify(Array.from({ length: 200 }, () => page)))
  const views = sized(30, 200)
  count('floods', views)
  for (let i = 0; i < views; i++) await join(id, { 'sec-websocket-protocol': 'meetroom.room' })
  expect(grown()).toBeLessThan(180 * megabyte)
})

function read(socket: Socket): Promise<'a message' | 'an end'> {
  return new Promise((resolve) => {
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
      if (bytes > 9 * megabyte) resolve('a message')
    })
    socket.on('close', () => resolve('an end'))
    socket.resume()
  })
}

test('the service disconnects the slowest clients if all unread messages exceed the memory limit', async () => {
  const { ask, room, join } = await served()
  const rooms = sized(15, 80)
  count('floods', rooms)
  const message = Buffer.from(JSON.stringify({ message: 'm'.repeat(9 * megabyte) }))
  const sockets: Socket[] = []
  for (let i = 0; i < rooms; i++) {
    const id = await room()
    sockets.push(await join(id))
    await ask(`/rooms/${id}/message`, message)
  }
  // 128 MB hold 14 messages. On a slow machine, some of the last 14 peers may also be disconnected, because
  // they do not respond to pings.
  const behind = await Promise.all(sockets.slice(0, -14).map(read))
  expect(behind).toEqual(Array(rooms - 14).fill('an end'))
  expect(await read(sockets.at(-1) as Socket)).toBe('a message')
})
