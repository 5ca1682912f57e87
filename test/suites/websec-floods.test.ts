import { connect } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { serveHere } from '../helpers/serve-here.ts'
import { homes, startServe } from '../helpers/serving.ts'
import { counted, notice, share, sized } from './size.ts'
import { peakMemory } from './websec/memory.ts'

const { add: count } = counted('websec')

async function exchange(
  baseUrl: string,
  text: string,
  more?: Buffer,
  { reads = true } = {},
): Promise<{ received: string; sent: number }> {
  const { hostname, port } = new URL(baseUrl)
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname)
    let received = ''
    const send = () => {
      if (more) while (!socket.destroyed && socket.write(more));
    }
    if (reads)
      socket.setEncoding('latin1').on('data', (data: string) => {
        received += data
      })
    socket.on('drain', send).on('error', () => {})
    socket.on('close', () => resolve({ received, sent: socket.bytesWritten }))
    socket.write(text)
    send()
  })
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`

test('a client that pipelines 1,000 requests without the key gets at most 20 responses', async () => {
  const { baseUrl, origin } = await serveHere()
  const { received } = await exchange(baseUrl, get('/v1/rooms').repeat(1000))
  const [first, ...others] = received.split('HTTP/1.1 ').slice(1)
  expect(first).toMatch(/^400 [\s\S]*connection: keep-alive/i)
  expect(others.length).toBeLessThan(20)
  expect(others.at(-1)).toMatch(/^400 [\s\S]*connection: close/i)
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
})

test('a client that pipelines 80 requests with the key gets all responses in order', async () => {
  const { baseUrl, apiKey } = await serveHere()
  const list = (limit: number) => get(`/v1/rooms?limit=${limit}`, `Authorization: Bearer ${apiKey}\r\n`)
  const limits = Array.from({ length: 80 }, (_, i) => i + 1)
  const { received } = await exchange(
    baseUrl,
    `${limits.map(list).join('')}${get('/', 'Connection: close\r\n')}`,
  )
  expect([...received.matchAll(/"limit":(\d+)/g)].map(([, limit]) => Number(limit))).toEqual(limits)
})

describe('memory of pipelined requests', () => {
  const connections = sized(50, 100)
  const paths = [
    '/',
    '/readyz',
    '/v1/rooms',
    '/room-page/room.js',
    '/rooms/x',
    `/v1/rooms?${'x'.repeat(15_000)}`,
  ]
  const random = fc.record({
    method: fc.constantFrom('GET', 'HEAD', 'POST', 'DELETE', 'PATCH'),
    path: fc.constantFrom(...paths),
    host: fc.constantFrom('localhost', 'evil.test'),
    headers: fc.constantFrom(...[0, 10, 250, 300, 3900].map((length) => 'a:\r\n'.repeat(length))),
    expectation: fc.constantFrom('', 'Expect: x\r\n', 'Expect: 100-continue\r\n'),
    offer: fc.constantFrom('', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'),
    body: fc.constantFrom('', 'x'),
  })
  const randomRequests = fc.sample(random, sized(1, 30)).map((request) => {
    const { method, path, host, headers, expectation, offer, body } = request
    const line = `${method} ${path.slice(0, 15_000 - headers.length)} HTTP/1.1`
    const length = body && `Content-Length: ${body.length}\r\n`
    return `${line}\r\nHost: ${host}\r\n${offer}${expectation}${length}${headers}\r\n${body}`
  })
  const requests = [
    get('/'),
    get('/room-page/room.js'),
    'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    ...randomRequests,
  ]

  test.each(share(requests, 0, 2).map((request) => [request.replace(/(.{1,4}?)\1{3,}/gs, '$1…'), request]))(
    'the service uses less than 64 MB of memory for clients that pipeline %j and read no responses',
    async (_, request) => {
      count('floods')
      const { ready } = await startServe(['--ephemeral', '--quiet'], homes())
      const before = peakMemory(ready.pid)
      const text = request.repeat(Math.ceil(65_536 / request.length))
      const flood = () => exchange(ready.base_url, text, Buffer.from(text), { reads: false })
      await Promise.all(Array.from({ length: connections }, flood))
      expect((await fetch(new URL('/readyz', ready.base_url))).status).toBe(200)
      const after = peakMemory(ready.pid)
      if (before === undefined || after === undefined)
        return notice('websec', 'the operating system does not report the memory of a process')
      expect(after - before).toBeLessThan(64e6)
    },
  )
})

test.each(['x', '100-continue, x', '200-ok'])(
  'a request with “Expect: %s” is refused before its client sends 60 MB',
  async (expectation) => {
    const { baseUrl } = await serveHere()
    const { received, sent } = await exchange(
      baseUrl,
      `POST /v1/rooms HTTP/1.1\r\nHost: localhost\r\nExpect: ${expectation}\r\nContent-Length: 99999999999\r\n\r\n`,
      Buffer.alloc(64 * 1024),
    )
    expect(received).toMatch(/^HTTP\/1\.1 (400|417) /)
    // The buffers of both sockets add to the 10 MB that the service discards.
    expect(sent).toBeLessThan(60e6)
  },
)
