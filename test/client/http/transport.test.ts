import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import {
  type AddressInfo,
  connect,
  createServer as createNetServer,
  type Server,
  type Socket,
} from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { maxBodyBytes, TransportError, type WireRequest } from '../../../src/api/wire.ts'
import { createNetworkTransport, type TransportOptions } from '../../../src/client/http/transport.ts'
import { createUndiciPool } from '../../../src/client/http/undici-pool.ts'
import { ServiceError, UsageError } from '../../../src/errors.ts'
import { certificateAuthority } from '../../helpers/certificate.ts'
import { latch, soon, Watched } from '../../helpers/waiting.ts'

/** Library that sends the requests of a test; undefined for node:http. */
let createLibrary: TransportOptions['createLibrary']

const key = 'secret-key-0123456789'

async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  const remember = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }
  server.on('connection', remember)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

async function serve(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`
}

async function serveRaw(onRequest: (socket: Socket) => void): Promise<string> {
  const server = createNetServer((socket) => socket.once('data', () => onRequest(socket)))
  return `http://127.0.0.1:${await listen(server)}`
}

async function findClosedPort(): Promise<number> {
  const server = createNetServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function send(
  origin: string,
  {
    request = {},
    signal = new AbortController().signal,
    ...options
  }: Partial<TransportOptions> & {
    request?: Partial<WireRequest>
    signal?: AbortSignal
  } = {},
) {
  const transport = createNetworkTransport({ origin, env: {}, createLibrary, ...options })
  onTestFinished(() => transport.close())
  const answer = await transport(
    { method: 'GET', url: `${origin}/v1/rooms`, headers: { authorization: `Bearer ${key}` }, ...request },
    signal,
  )
  return { ...answer, text: new TextDecoder().decode(answer.body) }
}

async function unreadable(origin: string): Promise<string | undefined> {
  const { status, body, unreadable } = await send(origin)
  expect({ status, size: body.length }).toEqual({ status: 200, size: 0 })
  return unreadable
}

async function describeFailure(origin: string, options: Parameters<typeof send>[1] = {}) {
  const error = await send(origin, options).then(
    () => expect.fail('there was an answer'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(TransportError)
  const { message, maybeSent, transient, stack, cause } = error as TransportError
  expect(`${message}${stack}${cause}`).not.toMatch(new RegExp(`${key}|proxy-password`))
  return { message, maybeSent, transient }
}

async function serveSlowly(connections: number) {
  const paths: string[] = []
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  const arrived = new Watched(() => paths)
  const origin = await serve((request, response) => {
    paths.push(String(request.url))
    sockets.add(request.socket)
    held.push(() => response.end(request.url))
    arrived.changed()
  })
  const transport = createNetworkTransport({ origin, env: {}, createLibrary, connections })
  onTestFinished(() => transport.close())
  return {
    paths,
    sockets,
    ask: (path: string, signal = new AbortController().signal, cancelUnsent?: AbortSignal) =>
      transport({ method: 'POST', url: origin + path, headers: {} }, signal, cancelUnsent).then(
        ({ body }) => new TextDecoder().decode(body),
        ({ message, maybeSent, transient }: TransportError) => ({ message, maybeSent, transient }),
      ),
    until: (count: number) => arrived.until(`request ${count}`, () => paths.length >= count),
    letGo() {
      for (const end of held.splice(0)) end()
    },
  }
}

/** Compresses zeros in gzip members of at most 1 MiB, because a large member takes far longer. */
function zeros(length: number): Buffer {
  const member = gzipSync(Buffer.alloc(2 ** 20))
  const rest = gzipSync(Buffer.alloc(length % 2 ** 20))
  return Buffer.concat([...Array<Buffer>(Math.floor(length / 2 ** 20)).fill(member), rest])
}

describe.each([
  ['node:http', undefined],
  ['undici', createUndiciPool],
] as const)('the transport over %s', (_library, chosen) => {
  beforeAll(() => {
    createLibrary = chosen
  })

  describe('a request', () => {
    test('the transport sends a request unchanged and returns its response unchanged', async () => {
      const origin = await serve(async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        const { method, url } = request
        const { authorization, 'content-type': type } = request.headers
        response.writeHead(201, { 'content-type': 'application/json', 'X-Odd': ['a', 'b'] })
        response.end(JSON.stringify({ method, url, authorization, type, body }))
      })
      const { status, headers, text } = await send(origin, {
        request: {
          method: 'PUT',
          url: `${origin}/v1/rooms/a%2Fb?limit=1&name=%C3%A9`,
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: '{"name":"né"}',
        },
      })
      expect({ status, type: headers['content-type'], odd: headers['x-odd'] }).toEqual({
        status: 201,
        type: 'application/json',
        odd: 'a, b',
      })
      expect(JSON.parse(text)).toEqual({
        method: 'PUT',
        url: '/v1/rooms/a%2Fb?limit=1&name=%C3%A9',
        authorization: `Bearer ${key}`,
        type: 'application/json',
        body: '{"name":"né"}',
      })
    })

    test.each([301, 302, 303, 307, 308])(
      'the transport returns a redirect with the status %i without following it',
      async (status) => {
        let requests = 0
        const origin = await serve((_request, response) => {
          requests++
          response.writeHead(status, { location: '/v1/elsewhere' }).end('moved')
        })
        const answer = await send(origin)
        expect({ status: answer.status, location: answer.headers['location'], text: answer.text }).toEqual({
          status,
          location: '/v1/elsewhere',
          text: 'moved',
        })
        expect(requests).toBe(1)
      },
    )

    test.each([400, 404, 429, 500, 503])(
      'the transport returns a response with the status %i without an error',
      async (status) => {
        const origin = await serve((_request, response) => response.writeHead(status).end('no'))
        expect(await send(origin)).toMatchObject({ status, text: 'no' })
      },
    )

    test('the transport gives each of 50 concurrent requests its own response', async () => {
      const origin = await serve((request, response) => response.end(request.url))
      const transport = createNetworkTransport({ origin, env: {}, createLibrary, connections: 2 })
      onTestFinished(() => transport.close())
      const paths = Array.from({ length: 50 }, (_, i) => `/v1/rooms/${i}`)
      const answers = await Promise.all(
        paths.map((path) =>
          transport({ method: 'GET', url: origin + path, headers: {} }, new AbortController().signal),
        ),
      )
      expect(answers.map(({ body }) => new TextDecoder().decode(body))).toEqual(paths)
    })
  })

  describe('a request over shared connections', () => {
    const notSent = { message: 'no connection yet', maybeSent: false, transient: false }

    test('the transport queues a request while all connections are busy', async () => {
      const { ask, until, letGo, sockets } = await serveSlowly(2)
      const answers = Promise.all(['/1', '/2', '/3', '/4', '/5'].map((path) => ask(path)))
      for (const count of [2, 4, 5]) {
        await until(count)
        letGo()
      }
      expect(await answers).toEqual(['/1', '/2', '/3', '/4', '/5'])
      expect(sockets.size).toBe(2)
    })

    test.each(['while it waits for a connection', 'while its own connection opens'])(
      'the transport does not send a request that is cancelled %s',
      async (when) => {
        const { ask, until, letGo, paths } = await serveSlowly(1)
        const abort = new AbortController()
        const first = when === 'while it waits for a connection' ? ask('/first') : undefined
        if (first) await until(1)
        const ended = ask('/ended', abort.signal)
        const next = ask('/next')
        abort.abort()
        expect(await ended).toEqual(notSent)
        letGo()
        if (first) expect(await first).toBe('/first')
        await until(first ? 2 : 1)
        letGo()
        expect(await next).toBe('/next')
        expect(paths).toEqual(first ? ['/first', '/next'] : ['/next'])
      },
    )

    test('the cancelUnsent signal cancels a queued request but not a sent request', async () => {
      const { ask, until, letGo, paths } = await serveSlowly(1)
      const [{ signal }, withdrawal] = [new AbortController(), new AbortController()]
      const sent = ask('/sent', signal, withdrawal.signal)
      await until(1)
      const waiting = ask('/waiting', signal, withdrawal.signal)
      withdrawal.abort()
      expect(await waiting).toEqual(notSent)
      letGo()
      expect(await sent).toBe('/sent')
      expect(paths).toEqual(['/sent'])
    })
  })

  describe('the body of a response', () => {
    const text = JSON.stringify({ rooms: Array(500).fill({ name: 'né 漢字' }) })

    test.each([
      ['gzip', gzipSync(text)],
      ['x-gzip', gzipSync(text)],
      ['GZIP', gzipSync(text)],
      ['br', brotliCompressSync(text)],
      ['deflate', deflateSync(text)],
      ['deflate', deflateRawSync(text)],
      ['gzip, br', brotliCompressSync(gzipSync(text))],
      ['identity,gzip', gzipSync(text)],
      ['identity', Buffer.from(text)],
    ])('the transport decodes a response with the content encoding %s', async (encoding, body) => {
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': encoding }).end(body),
      )
      expect((await send(origin)).text).toBe(text)
    })

    test.each(['identity', 'gzip'])(
      'the transport joins the pieces of a response with the content encoding %s',
      async (encoding) => {
        const whole = encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)
        const pieces = [whole.subarray(0, 20), whole.subarray(20, 21), whole.subarray(21)]
        const origin = await serve(async (_request, response) => {
          response.writeHead(200, { 'content-encoding': encoding })
          for (const piece of pieces) await new Promise((resolve) => response.write(piece, resolve))
          response.end()
        })
        expect((await send(origin)).text).toBe(text)
      },
    )

    test.each(['identity', 'gzip', 'zstd'])(
      'the transport accepts an empty response with the content encoding %s',
      async (encoding) => {
        const origin = await serve((_request, response) =>
          response.writeHead(204, { 'content-encoding': encoding }).end(),
        )
        const answer = await send(origin)
        expect(answer).toMatchObject({ status: 204, text: '' })
        expect(answer.unreadable).toBeUndefined()
      },
    )

    test('the transport reports a response with an unknown content encoding as unreadable', async () => {
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'zstd' }).end('?'),
      )
      expect(await unreadable(origin)).toBe('its content encoding is unknown')
    })

    test('the transport reports the content encoding “constructor” as unknown', async () => {
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'constructor' }).end('?'),
      )
      expect(await unreadable(origin)).toBe('its content encoding is unknown')
    })

    test.each([
      ['gzip', gzipSync(text)],
      ['br', brotliCompressSync(text)],
      ['deflate', deflateSync(text)],
    ])('the transport reports a response with damaged %s data as unreadable', async (encoding, body) => {
      for (const damaged of [body.subarray(0, body.length - 12), Buffer.from('not compressed at all')]) {
        const origin = await serve((_request, response) =>
          response.writeHead(200, { 'content-encoding': encoding }).end(damaged),
        )
        expect(await unreadable(origin)).toBe('its compressed data is damaged')
      }
    })

    test('the transport reads a response body of exactly 64 MB', async () => {
      const bomb = zeros(maxBodyBytes)
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      )
      const transport = createNetworkTransport({ origin, env: {}, createLibrary })
      onTestFinished(() => transport.close())
      const { body } = await transport(
        { method: 'GET', url: `${origin}/`, headers: {} },
        new AbortController().signal,
      )
      expect(body.length).toBe(64 * 1024 * 1024)
    })

    test('the transport refuses a response that decompresses from less than 100 kB to more than 64 MB', async () => {
      const bomb = zeros(maxBodyBytes + 1)
      expect(bomb.length).toBeLessThan(100_000)
      const origin = await serve((_request, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
      )
      expect(await unreadable(origin)).toBe('it is larger than 64 MB')
    })

    test('the transport refuses an endless response body and closes the connection', async () => {
      const closed = latch()
      const origin = await serveRaw((socket) => {
        socket.on('close', closed.open)
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        const block = Buffer.alloc(1024 * 1024)
        const more = () =>
          socket.destroyed || (socket.write(block) ? setImmediate(more) : socket.once('drain', more))
        more()
      })
      expect(await unreadable(origin)).toBe('it is larger than 64 MB')
      await soon('the connection to be closed', closed.opened)
    })
  })

  describe('the transport', () => {
    test('the transport reports that the request was not sent if the connection is refused', async () => {
      expect(await describeFailure(`http://127.0.0.1:${await findClosedPort()}`)).toEqual({
        message: 'connection refused',
        maybeSent: false,
        transient: true,
      })
    })

    test('the transport reports that the request was not sent if all addresses of a host refuse the connection', async () => {
      expect(await describeFailure(`http://localhost:${await findClosedPort()}`)).toEqual({
        message: 'connection refused',
        maybeSent: false,
        transient: true,
      })
    })

    test('the transport reports that the request was not sent if the host name is unknown', async () => {
      const { message, maybeSent } = await describeFailure('http://no-such-host.invalid')
      // Without a network, the system reports every unknown host as a temporary failure.
      expect(message).toMatch(/^the host name cannot be resolved( at the moment)?$/)
      expect(maybeSent).toBe(false)
    })

    test.each<[string, (socket: Socket) => void, string]>([
      ['reset before the response', (socket) => socket.resetAndDestroy(), 'the connection was reset'],
      [
        'closed before the response',
        (socket) => socket.end(),
        'the connection was closed before the response was complete',
      ],
      [
        'closed within the headers',
        (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-le'),
        'the connection was closed before the response was complete',
      ],
      [
        'closed within a body of known length',
        (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"rooms":['),
        'the connection was closed before the response was complete',
      ],
      [
        'closed within a chunked body',
        (socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\na\r\n{"rooms":['),
        'the connection was closed before the response was complete',
      ],
      [
        'reset within a body',
        (socket) =>
          socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"rooms":[', () =>
            setImmediate(() => socket.resetAndDestroy()),
          ),
        // The system decides which event is reported first.
        expect.stringMatching(/^the connection was (reset|closed before the response was complete)$/),
      ],
      [
        'reset within a body without length',
        (socket) =>
          // The client must read the beginning before the reset.
          socket.write('HTTP/1.1 200 OK\r\n\r\n{"rooms":[', () =>
            setImmediate(() => setImmediate(() => socket.resetAndDestroy())),
          ),
        'the connection was reset',
      ],
      [
        'closed within a compressed body',
        (socket) => {
          socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 100\r\n\r\n')
          socket.end(gzipSync('{"rooms":[]}').subarray(0, 10))
        },
        'the connection was closed before the response was complete',
      ],
    ])(
      'the transport reports that the request may have arrived if the connection is %s',
      async (_what, act, message) => {
        const origin = await serveRaw(act)
        for (const method of ['GET', 'POST'])
          expect(
            await describeFailure(origin, {
              request: { method, ...(method === 'POST' ? { body: '{}' } : {}) },
            }),
          ).toEqual({
            message,
            maybeSent: true,
            transient: true,
          })
      },
    )

    test.each([
      '220 mail.test ESMTP ready\r\n',
      'HTTP/1.1 abc\r\n\r\n',
      'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n',
    ])('the transport reports the invalid HTTP response %j as unreadable', async (text) => {
      const origin = await serveRaw((socket) => socket.write(text))
      const error = await send(origin).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toHaveProperty('message', 'the service’s response cannot be read: it is not HTTP')
    })

    test('the transport reports a response with 100 kB of headers as unreadable', async () => {
      const origin = await serveRaw((socket) =>
        socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`),
      )
      const error = await send(origin).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(ServiceError)
      expect(error).toHaveProperty(
        'message',
        'the service’s response cannot be read: its headers are too large',
      )
    })

    test('the transport reads a body without a length until the connection is closed', async () => {
      const origin = await serveRaw((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n{"rooms":[]}'))
      expect((await send(origin)).text).toBe('{"rooms":[]}')
    })

    test('the transport reports that an aborted pending request may have arrived', async () => {
      const abort = new AbortController()
      const origin = await serveRaw(() => abort.abort())
      expect(await describeFailure(origin, { signal: abort.signal })).toEqual({
        message: 'no response yet',
        maybeSent: true,
        transient: false,
      })
    })

    test('the transport reports that a request aborted during its response may have arrived', async () => {
      const abort = new AbortController()
      const origin = await serveRaw((socket) =>
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{', () =>
          setImmediate(() => abort.abort()),
        ),
      )
      expect(await describeFailure(origin, { signal: abort.signal })).toMatchObject({ maybeSent: true })
    })

    test('the transport reports that a request aborted during the TLS handshake was not sent', async () => {
      const abort = new AbortController()
      const origin = (await serveRaw(() => abort.abort())).replace('http:', 'https:')
      expect(await describeFailure(origin, { signal: abort.signal })).toEqual({
        message: 'no connection yet',
        maybeSent: false,
        transient: false,
      })
    })

    test('the transport names the proxy in the error for a request aborted while the proxy is silent', async () => {
      const abort = new AbortController()
      const proxy = (await serveRaw(() => abort.abort())).replace('http://', '')
      const env = { HTTPS_PROXY: `http://ada:proxy-password@${proxy}` }
      expect(await describeFailure('https://meet.test', { env, signal: abort.signal })).toEqual({
        message: `no connection yet (through the proxy ${proxy})`,
        maybeSent: false,
        transient: false,
      })
    })

    test('the transport sends no request that is already aborted', async () => {
      let requests = 0
      const origin = await serve((_request, response) => {
        requests++
        response.end()
      })
      expect(await describeFailure(origin, { signal: AbortSignal.abort() })).toMatchObject({
        maybeSent: false,
      })
      expect(requests).toBe(0)
    })

    test('the transport omits an invalid header value from its error', async () => {
      const origin = await serve((_request, response) => response.end())
      const { maybeSent } = await describeFailure(origin, {
        request: { headers: { authorization: `Bearer ${key}\n` } },
      })
      expect(maybeSent).toBe(false)
    })
  })

  describe('a proxy', () => {
    async function proxy(target: number) {
      const asked: string[] = []
      const server = createServer(async (request, response) => {
        asked.push(`${request.method} ${request.url}`)
        const answer = await fetch(`http://127.0.0.1:${target}${new URL(request.url ?? '').pathname}`)
        response.writeHead(answer.status).end(await answer.text())
      })
      server.on('connect', (request, socket: Socket) => {
        asked.push(`CONNECT ${request.url}`)
        const upstream = connect(target, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
          upstream.pipe(socket)
          socket.pipe(upstream)
        })
        for (const end of [upstream, socket]) {
          end.on('error', () => {})
          end.on('close', () => {
            upstream.destroy()
            socket.destroy()
          })
        }
      })
      return { url: `http://127.0.0.1:${await listen(server)}`, asked }
    }

    const target = async () => listen(createServer((_request, response) => response.end('through')))

    test.each(['HTTP_PROXY', 'http_proxy'])(
      'the transport sends a request through the proxy in %s',
      async (name) => {
        const { url, asked } = await proxy(await target())
        const answer = await send('http://meet.test', { env: { [name]: url } })
        expect(answer.text).toBe('through')
        expect(asked).toEqual(['CONNECT meet.test:80'])
      },
    )

    test('the transport accepts a proxy URL without a scheme, as curl does', async () => {
      const { url, asked } = await proxy(await target())
      const answer = await send('http://meet.test', { env: { HTTP_PROXY: url.replace('http://', '') } })
      expect(answer.text).toBe('through')
      expect(asked).toHaveLength(1)
    })

    test('an invalid proxy URL causes a usage error that does not quote the URL', () => {
      for (const url of ['not a url', 'ftp://user:secret@proxy.test', 'http://', 'http://ada:%@proxy.test']) {
        const open = () => createNetworkTransport({ origin: 'http://meet.test', env: { HTTP_PROXY: url } })
        expect(open).toThrow(UsageError)
        expect(open).toThrow(/^HTTP_PROXY is not the URL of an HTTP proxy$/)
      }
    })

    test.each(['meet.test', '.test', '*.test', 'a.test,meet.test', 'meet.test:80', '*'])(
      'the transport bypasses the proxy for a host that matches NO_PROXY=%s',
      async (noProxy) => {
        const { url, asked } = await proxy(await target())
        // Only the proxy responds for meet.test.
        await describeFailure('http://meet.test', { env: { HTTP_PROXY: url, NO_PROXY: noProxy } })
        expect(asked).toEqual([])
      },
    )

    test('the transport uses the proxy for a host that does not match NO_PROXY', async () => {
      const { url, asked } = await proxy(await target())
      const env = { HTTP_PROXY: url, NO_PROXY: 'other.test,eet.test' }
      expect((await send('http://meet.test', { env })).text).toBe('through')
      expect(asked).toHaveLength(1)
    })

    test('the transport bypasses the proxy for a direct connection', async () => {
      const port = await target()
      const { url, asked } = await proxy(port)
      const answer = await send(`http://127.0.0.1:${port}`, { env: { HTTP_PROXY: url }, direct: true })
      expect(answer.text).toBe('through')
      expect(asked).toEqual([])
    })

    test('the transport ignores HTTPS_PROXY for an http URL', async () => {
      const port = await target()
      const { url, asked } = await proxy(port)
      const answer = await send(`http://127.0.0.1:${port}`, { env: { HTTPS_PROXY: url } })
      expect(answer.text).toBe('through')
      expect(asked).toEqual([])
    })

    async function startRawProxy(act: (socket: Socket) => void) {
      const seen = { connections: 0, name: '', url: '' }
      const port = await listen(
        createNetServer((socket) => {
          seen.connections++
          socket.once('data', () => act(socket))
        }),
      )
      seen.name = `127.0.0.1:${port}`
      seen.url = `http://ada:proxy-password@${seen.name}`
      return seen
    }

    test('the transport names an unreachable proxy in the error', async () => {
      const name = `127.0.0.1:${await findClosedPort()}`
      expect(
        await describeFailure('http://meet.test', {
          env: { HTTP_PROXY: `http://ada:proxy-password@${name}` },
        }),
      ).toEqual({
        message: `the proxy ${name} cannot be reached: connection refused`,
        maybeSent: false,
        transient: true,
      })
    })

    test.each<[string, (socket: Socket) => void, string]>([
      ['closes the connection', (socket) => socket.end(), 'closed the connection'],
      ['resets the connection', (socket) => socket.resetAndDestroy(), 'closed the connection'],
      [
        'closes the connection within its response',
        (socket) => socket.end('HTTP/1.1 200 Conn'),
        'closed the connection',
      ],
      [
        'speaks another protocol',
        (socket) => socket.end('220 mail.test ESMTP\r\n'),
        'does not respond as a proxy',
      ],
      [
        'refuses a tunnel',
        (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
        'refused the connection (403)',
      ],
      [
        'requires authentication',
        (socket) => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 2\r\n\r\nno'),
        'refused the connection (407: it requires a user name and password)',
      ],
    ])(
      'the transport opens one connection to a proxy that %s and names the proxy in the error',
      async (_what, act, what) => {
        for (const origin of ['http://meet.test', 'https://meet.test']) {
          const proxy = await startRawProxy(act)
          expect(
            await describeFailure(origin, {
              env: { HTTP_PROXY: proxy.url },
              request: { method: 'POST', url: `${origin}/v1/rooms`, body: '{}' },
            }),
          ).toEqual({ message: `the proxy ${proxy.name} ${what}`, maybeSent: false, transient: true })
          expect(proxy.connections).toBe(1)
        }
      },
    )

    test('the transport opens one connection per request if the proxy closes each connection', async () => {
      const proxy = await startRawProxy((socket) => socket.end())
      const transport = createNetworkTransport({
        origin: 'https://meet.test',
        env: { HTTPS_PROXY: proxy.url },
        connections: 2,
        createLibrary,
      })
      onTestFinished(() => transport.close())
      const wire = { method: 'GET', url: 'https://meet.test/v1/rooms', headers: {} }
      const ended = await Promise.allSettled(
        Array.from({ length: 10 }, () => transport(wire, new AbortController().signal)),
      )
      expect(ended.map(({ status }) => status)).toEqual(Array(10).fill('rejected'))
      expect(proxy.connections).toBe(10)
    })

    test('the transport names the proxy in the error if the connection behind the proxy fails', async () => {
      const proxy = await startRawProxy((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', () => socket.resetAndDestroy())
      })
      expect(await describeFailure('http://meet.test', { env: { HTTP_PROXY: proxy.url } })).toEqual({
        message: `the connection was reset (through the proxy ${proxy.name})`,
        maybeSent: true,
        transient: true,
      })
    })

    test('a proxy receives the user name and password of its URL', async () => {
      const asked: (string | undefined)[] = []
      const server = createServer()
      server.on('connect', ({ headers }, socket: Socket) => {
        asked.push(headers['proxy-authorization'])
        socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
      })
      const port = await listen(server)
      for (const who of ['ada:p%40ss@', 'ada@', ''])
        await describeFailure('https://meet.test', { env: { HTTPS_PROXY: `http://${who}127.0.0.1:${port}` } })
      const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
      expect(asked).toEqual([basic('ada:p@ss'), basic('ada:'), undefined])
    })

    test('a proxy receives neither the path nor the API key of an HTTPS request', async () => {
      const seen: string[] = []
      const server = createServer()
      server.on('connect', (request, socket: Socket) => {
        seen.push(`${request.url} ${JSON.stringify(request.headers)}`)
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.once('data', (data) => {
          seen.push(data.toString('latin1'))
          socket.destroy()
        })
      })
      const env = { HTTPS_PROXY: `http://127.0.0.1:${await listen(server)}` }
      await describeFailure('https://meet.test', { env })
      expect(seen[0]).toMatch(/^meet\.test:443 /)
      expect(seen.join('\n')).not.toMatch(new RegExp(`${key}|/v1/rooms`))
    })
  })

  describe('an HTTPS request', () => {
    test('the transport sends no HTTPS request to a service with a self-signed certificate', async () => {
      let requests = 0
      const port = await listen(
        createTlsServer(certificateAuthority().selfSigned(), (_request, response) => {
          requests++
          response.end()
        }),
      )
      expect(await describeFailure(`https://127.0.0.1:${port}`)).toEqual({
        message:
          'the certificate is self-signed; to trust it, point NODE_EXTRA_CA_CERTS at a file with the CA certificate',
        maybeSent: false,
        transient: false,
      })
      expect(requests).toBe(0)
    })

    test('an HTTPS request to a service without TLS fails before it is sent', async () => {
      const origin = await serve((_request, response) => response.end())
      const { message, maybeSent, transient } = await describeFailure(origin.replace('http:', 'https:'))
      // The wording depends on the version of the TLS library.
      expect(message).toMatch(/^(the service does not speak TLS on this port|the TLS handshake failed)$/)
      expect({ maybeSent, transient }).toEqual({ maybeSent: false, transient: false })
    })
  })
})

describe('a run of writes', () => {
  /** Sends `writes` writes sequentially; returns the libraries that sent them, in order of first use. */
  async function findLibraries(writes: number, interim: string): Promise<string[]> {
    const found = new Set<string>()
    const port = await listen(
      createNetServer((socket) =>
        socket.on('data', (request) => {
          // node:http capitalizes this header.
          found.add(/^Connection:/m.test(String(request)) ? 'node:http' : 'undici')
          socket.write(`${interim}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`)
        }),
      ),
    )
    const origin = `http://127.0.0.1:${port}`
    const transport = createNetworkTransport({ origin, env: {} })
    onTestFinished(() => transport.close())
    const wire = { method: 'POST', url: `${origin}/v1/rooms`, headers: {}, body: '{}' }
    for (let i = 0; i < writes; i++) {
      const { body } = await transport(wire, new AbortController().signal)
      expect(String(body)).toBe('{}')
    }
    return [...found]
  }

  test('the transport sends 200 sequential writes only with node:http', async () => {
    expect(await findLibraries(200, '')).toEqual(['node:http'])
  })

  test('the transport switches from node:http to undici within 400 sequential writes', async () => {
    expect(await findLibraries(400, '')).toEqual(['node:http', 'undici'])
  })

  test('the transport sends 400 sequential writes only with node:http if the service sends 100 Continue', async () => {
    expect(await findLibraries(400, 'HTTP/1.1 100 Continue\r\n\r\n')).toEqual(['node:http'])
  })
})
