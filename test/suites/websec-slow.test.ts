import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../src/embedded/http/server.ts'
import { rawRequest, sendRaw, statusLine } from '../helpers/raw.ts'
import { openTestWorkspace } from '../helpers/wire.ts'
import { counted, full } from './size.ts'
import { startTargets } from './websec/targets.ts'

const { add: count } = counted('websec')

/** Short timeouts of the service, in milliseconds, so that the tests end quickly. */
const timeouts = { headersTimeout: 300, requestTimeout: 600, connectionsCheckingInterval: 50 }

const chunkedHead = 'POST /v1/users HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n'
const head = 'POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n'

/** Text that a client sends immediately, and text that it then repeats slowly. */
const vectors: readonly (readonly [name: string, atOnce: string, drops: string])[] = [
  ['nothing at all', '', ''],
  ['empty lines', '', '\r\n'],
  ['a method', '', 'G'],
  ['half a request line', 'GET /v1/ro', ''],
  ['a path', 'GET /v1/', 'x'],
  ['half the headers', 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n', ''],
  ['one header after the other', 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n', 'X: y\r\n'],
  ['a header that does not end', 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\nX: ', 'y'],
  ['the name of a header that does not end', 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n', 'y'],
  [
    'half the headers of an upgrade',
    'GET /v1/rooms/x/connect HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n',
    '',
  ],
  ['no body where one is announced', `${head}\r\n`, ''],
  ['a body', `${head}\r\n`, ' '],
  ['no body after Expect: 100-continue', `${head}Expect: 100-continue\r\n\r\n`, ''],
  ['a body that was offered over HTTP/2', `${head}Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n`, ' '],
  ['one chunk after the other', chunkedHead, '1\r\n \r\n'],
  ['a chunk size', chunkedHead, '0'],
  ['a chunk extension', `${chunkedHead}1;`, 'x'],
  ['trailers', `${chunkedHead}0\r\n`, 'X: y\r\n'],
  ['half a second request', 'GET /v1/rooms HTTP/1.1\r\nHost: localhost\r\n\r\nGET /v1', ''],
  [
    'a body of 2⁵² bytes',
    'POST /v1/users HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4503599627370496\r\n\r\n',
    ' ',
  ],
]

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => {}).resume()
  await once(socket, 'connect')
  return socket
}

async function drip(port: number, atOnce: string, drops: string, ms = 5000): Promise<string> {
  const socket = await open(port)
  socket.write(atOnce)
  const dripping = setInterval(() => drops && socket.write(drops), 20)
  let outcome = 'cut'
  const late = setTimeout(() => {
    outcome = 'still there'
    socket.destroy()
  }, ms)
  // A reset also closes the connection.
  await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(dripping)
  clearTimeout(late)
  return outcome
}

async function dripAll(port: number, chosen: typeof vectors, ms?: number): Promise<object> {
  const outcomes = chosen.map(async ([name, atOnce, drops]) => [name, await drip(port, atOnce, drops, ms)])
  return Object.fromEntries(await Promise.all(outcomes))
}

const allCut = (chosen: typeof vectors) => Object.fromEntries(chosen.map(([name]) => [name, 'cut']))

test('the service disconnects clients with incomplete requests', async () => {
  count('vectors', vectors.length)
  const { service, apiKey } = await openTestWorkspace()
  const server = await serveHttp(service, { host: '127.0.0.1', port: 0, timeouts })
  onTestFinished(() => void server.cut())
  const good = rawRequest('GET /v1/rooms', { host: 'localhost', authorization: `Bearer ${apiKey}` })
  const ask = async () => statusLine(await sendRaw(server.url, good))
  const outcomes = dripAll(Number(new URL(server.url).port), vectors)
  expect(await ask()).toBe('HTTP/1.1 200 OK')
  expect(await outcomes).toEqual(allCut(vectors))
  expect(await ask()).toBe('HTTP/1.1 200 OK')
  expect(
    (await service({ method: 'GET', url: '/v1/users', headers: { authorization: `Bearer ${apiKey}` } })).text,
  ).toContain('"total":0')
})

test('the service responds to a client despite 1,000 clients with incomplete requests and disconnects them', async () => {
  count('vectors')
  const { service, apiKey } = await openTestWorkspace()
  const server = await serveHttp(service, { host: '127.0.0.1', port: 0, timeouts, maxConnections: 100 })
  onTestFinished(() => void server.cut())
  const { port } = new URL(server.url)
  const drips = []
  for (let i = 0; i < 1000; i++) drips.push(drip(Number(port), 'GET /v1/rooms HTTP/1.1\r\nX: ', ''))
  const good = rawRequest('GET /v1/rooms', { host: 'localhost', authorization: `Bearer ${apiKey}` })
  expect(statusLine(await sendRaw(server.url, good))).toBe('HTTP/1.1 200 OK')
  expect(new Set(await Promise.all(drips))).toEqual(new Set(['cut']))
})

test('the service responds to a client while another client reads no responses', async () => {
  count('vectors')
  const { service, apiKey } = await openTestWorkspace()
  const server = await serveHttp(service, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => void server.cut())
  const socket = (await open(Number(new URL(server.url).port))).pause()
  socket.write(rawRequest('GET /v1/users', { host: 'localhost', connection: 'keep-alive' }).repeat(5000))
  const good = rawRequest('GET /v1/users', { host: 'localhost', authorization: `Bearer ${apiKey}` })
  for (let i = 0; i < 20; i++) expect(statusLine(await sendRaw(server.url, good))).toBe('HTTP/1.1 200 OK')
})

describe.runIf(full)('webhooks listen', () => {
  const targets = startTargets()

  // webhooks listen allows 30 seconds for a request with complete headers.
  const chosen = vectors.filter(([, atOnce]) => !atOnce.includes('\r\n\r\n'))

  test('webhooks listen disconnects a client with incomplete headers within ten seconds', async () => {
    count('vectors', chosen.length)
    const port = Number(new URL(targets.listen().origin).port)
    expect(await dripAll(port, chosen, 10_000)).toEqual(allCut(chosen))
  })
})
