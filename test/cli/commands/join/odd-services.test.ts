import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { main } from '../../../../src/main.ts'
import { type TestHost, testHost } from '../../../helpers/host.ts'
import { testMachine } from '../../../helpers/live.ts'
import { soon } from '../../../helpers/waiting.ts'

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket.on('error', () => {})))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

async function serveRooms(onJoin: (socket: WebSocket, host: TestHost) => void) {
  const server = createHttpServer()
  const sockets = new WebSocketServer({ server })
  const host = hostFor(await listen(server))
  sockets.on('connection', (socket) => onJoin(socket, host))
  return host
}

const serveText = async (text: string) =>
  hostFor(await listen(createServer((socket) => void socket.once('data', () => socket.write(text)))))

const hostFor = (port: number) =>
  testHost({ env: { MEETROOM_BASE_URL: `http://127.0.0.1:${port}/v1`, MEETROOM_API_KEY: 'key-0123456789' } })

const join = (host: TestHost, ...flags: string[]) =>
  soon('the end of join', main(['join', 'r1', ...flags], host), () => host.stderr.text)

const joined = JSON.stringify({ event: 'joined', session: { id: 's1' } })

test('join doubles its backoff up to a limit if the service closes each connection immediately', async () => {
  let connections = 0
  const host = await serveRooms((socket, host) => {
    if (++connections > 9) return host.signal('SIGINT')
    socket.send(joined)
    socket.close(1001)
  })
  expect(await join(host)).toBe(0)
  expect(host.slept).toEqual([150, 300, 600, 1200, 2400, 4800, 6000, 6000, 6000])
})

test('join resets its backoff after a stable connection', async () => {
  let connections = 0
  const host = await serveRooms(async (socket, host) => {
    if (++connections > 5) return host.signal('SIGINT')
    socket.send(joined)
    if (connections === 3) {
      // The program has processed the frame before it responds to the ping.
      socket.ping()
      await once(socket, 'pong')
      await host.sleep(9000)
    }
    socket.close(1001)
  })
  const pauses = () => host.slept.filter((ms) => ms !== 9000)
  expect(await join(host)).toBe(0)
  expect(pauses()).toEqual([150, 300, 150, 300, 600])
})

test.each([
  ['sends only one ping', (socket: WebSocket) => void socket.ping()],
  ['sends only pings', (socket: WebSocket) => void setInterval(() => socket.ping(), 10).unref()],
])('join exits 5 after its timeout if the service %s', async (_, onJoin) => {
  const machine = testMachine()
  const host = await serveRooms((socket) => {
    onJoin(socket)
    socket.once('pong', () => machine.advance(3000))
  })
  host.after = machine.after
  expect(await join(host, '--timeout', '3', '--retries', '0')).toBe(5)
  expect(host.stderr.text).toBe('error: no response within 3 s\n')
})

test('join --timeout limits the total time of all attempts', async () => {
  const host = await serveText('HTTP/1.1 503 Busy\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  expect(await join(host, '--timeout', '2', '--retries', '10')).toBe(6)
  expect(host.slept).toEqual([150, 300, 600])
})

test.each([
  [
    'a JSON error',
    '{"error":{"code":"too_many_requests","message":"too many join"}}',
    'cannot join: too many join',
  ],
  ['no body', '', 'the service responded with 429'],
])('join retries a 429 response with %s and then exits 1', async (_, body, reason) => {
  const host = await serveText(
    `HTTP/1.1 429 Busy\r\nconnection: close\r\nretry-after: 1\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  expect(await join(host, '--retries', '2')).toBe(1)
  expect(host.slept).toEqual([150, 300])
  expect(host.stderr.text).toContain(reason)
})

const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'

test.each([
  [
    'a wrong Sec-WebSocket-Accept',
    `${upgrade}Sec-WebSocket-Accept: AAAA\r\n\r\n`,
    'the response violates the HTTP protocol',
  ],
  ['an SSH banner', 'SSH-2.0-OpenSSH_9.6\r\n', 'the response violates the HTTP protocol'],
  ['status 101 without an upgrade', 'HTTP/1.1 101 Yes\r\n\r\n', 'the service responded with 101'],
  ['status 200', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi', 'the service responded with 200'],
  [
    'a redirect',
    'HTTP/1.1 302 Found\r\nlocation: /\r\ncontent-length: 0\r\n\r\n',
    'the service responded with 302',
  ],
])('join exits 6 if the service responds with %s', async (_, text, reason) => {
  const host = await serveText(text)
  expect(await join(host, '--retries', '0')).toBe(6)
  expect(host.stderr.text).toBe(`error: cannot join: ${reason}\n`)
})

test.each([
  ['a frame with reserved bits', [0xf1, 0]],
  ['a frame with an unknown opcode', [0x83, 0]],
  ['a masked frame', [0x81, 0x80, 0, 0, 0, 0]],
  ['invalid UTF-8', [0x81, 1, 0xff]],
  ['a fragmented ping', [0x09, 0]],
])('join exits 6 if the service sends %s', async (_, bytes) => {
  const host = await serveRooms((socket) => {
    Reflect.get(socket, '_socket').write(Buffer.from(bytes))
  })
  expect(await join(host, '--retries', '0')).toBe(6)
  expect(host.stderr.text).toContain('the response violates the HTTP protocol')
  expect(host.stderr.text).not.toMatch(/WS_ERR|HPE_/)
})

test('join exits 5 if the connection ends before the first frame', async () => {
  const host = await serveRooms((socket) => socket.terminate())
  expect(await join(host, '--retries', '0')).toBe(5)
  expect(host.stderr.text).toBe('error: the connection was lost\n')
})
