import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveHttp } from '../../../src/embedded/http/server.ts'
import { createTextResponse } from '../../../src/embedded/service/response.ts'
import { rawRequest } from '../../helpers/raw.ts'
import { homes, startServe } from '../../helpers/serving.ts'
import { openTestWorkspace } from '../../helpers/wire.ts'

const halfRequest = 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nX-Slow: '

async function openIncomplete(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.write(halfRequest)
  return socket
}

function ask(port: number, localAddress = '127.0.0.1'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, localAddress, path: '/v1/rooms', agent: false })
    request.on('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.on('error', reject)
    request.end()
  })
}

/** Starts a service that allows 100 connections, and 50 silent connections per IP address. */
async function startService() {
  const { service } = await openTestWorkspace()
  const server = await serveHttp(service, { host: '127.0.0.1', port: 0, maxConnections: 100 })
  onTestFinished(async () => {
    server.cut()
    await server.close()
  })
  return Number(new URL(server.url).port)
}

describe('connections with incomplete headers', () => {
  test('the embedded service responds to other clients while 200 connections send incomplete headers', async () => {
    const port = await startService()
    const silent = []
    for (let i = 0; i < 200; i++) silent.push(await openIncomplete(port))
    expect(await ask(port, '127.0.0.2')).toBe(400)
    expect(await ask(port)).toBe(400)
    const open = silent.filter((socket) => !socket.closed)
    expect(open.length).toBeLessThanOrEqual(50)
    expect(open).toEqual(silent.slice(-open.length))
  })

  test('the embedded service closes a connection with incomplete headers after 4.5 to 7 s', async () => {
    const port = await startService()
    const began = performance.now()
    const socket = await openIncomplete(port)
    socket.resume()
    await once(socket, 'close')
    const ms = performance.now() - began
    expect(ms).toBeGreaterThan(4500)
    expect(ms).toBeLessThan(7000)
  })
})

async function openIdle(port: number, count: number): Promise<Socket[]> {
  const sockets = []
  for (let i = 0; i < count; i++) {
    const socket = await openIncomplete(port)
    socket.write('\r\n\r\n')
    await once(socket, 'data')
    sockets.push(socket)
  }
  return sockets
}

describe('idle connections', () => {
  test('the embedded service keeps idle connections open while others send incomplete headers', async () => {
    const port = await startService()
    const sockets = await openIdle(port, 60)
    for (let i = 0; i < 30; i++) await openIncomplete(port)
    expect(await ask(port)).toBe(400)
    expect(sockets.filter((socket) => socket.closed)).toEqual([])
  })

  test('the embedded service frees an idle connection at the connection limit for a later request', async () => {
    const port = await startService()
    await openIdle(port, 100)
    await expect(ask(port)).rejects.toThrow()
    expect(await ask(port)).toBe(400)
  })
})

test('the connection limit does not cut a response that its client reads slowly', async () => {
  const text = 'x'.repeat(20_000_000)
  const options = { host: '127.0.0.1', port: 0, maxConnections: 2 }
  const server = await serveHttp(async () => createTextResponse(200, {}, text), options)
  onTestFinished(() => void server.cut())
  const port = Number(new URL(server.url).port)
  const socket = connect(port, '127.0.0.1')
  socket.write(rawRequest('GET /v1/rooms', { host: 'localhost', connection: 'keep-alive' }))
  const [start] = await once(socket, 'data')
  socket.pause()
  const other = await openIncomplete(port)
  await expect(ask(port)).rejects.toThrow()
  other.destroy()
  let received = start.length
  socket.resume().on('data', (chunk) => {
    received += chunk.length
  })
  await Promise.all([server.close(), once(socket, 'close')])
  const head = String(start).split('\r\n\r\n', 1)[0] ?? ''
  expect(received).toBe(head.length + 4 + text.length)
})

test('meetroom serve responds to other clients after one client exhausts the file descriptors', async () => {
  const { ready, createRoom } = await startServe(['-q'], homes(), {
    within: (line) => ['sh', '-c', 'ulimit -n 256 && exec "$@"', 'sh', ...line],
  })
  const port = Number(new URL(ready.base_url).port)
  const room = await createRoom()
  const visitor = new WebSocket(`${ready.base_url.replace('http', 'ws')}/rooms/${room}/connect`)
  await once(visitor, 'message')
  for (let i = 0; i < 1000; i++) await openIncomplete(port)
  expect(await ask(port, '127.0.0.2')).toBe(400)
  expect(await ask(port)).toBe(400)
  expect(visitor.readyState).toBe(WebSocket.OPEN)
})
