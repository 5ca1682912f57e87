import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import type { WireRequest } from '../../api/wire.ts'
import type { Service } from '../service.ts'
import { readBody } from './body.ts'
import { refuseForeign } from './same-origin.ts'

export interface HttpServer {
  /** Scheme, host and port: the base URL is this with `/v1` behind it. */
  url: string
  /** Stops accepting, lets answers under way finish, and resolves when the last connection is gone. */
  close(): Promise<void>
  /** Ends what connections are left. */
  cut(): void
}

/** Largest request body, in bytes. */
const maxBodyBytes = 10 * 1024 * 1024

export interface ServeOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** Names under which the service may be addressed, beside loopback and `host`. */
  hosts?: readonly string[]
  /** Takes over a request to become a WebSocket. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>
  /** Told of each answer, for the log. */
  onAnswer?: (line: { method: string; path: string; status: number; ms: number }) => void
}

/** Serves the service over HTTP. */
export async function serveHttp(service: Service, options: ServeOptions): Promise<HttpServer> {
  const { host, port, hosts = [], upgrade, onAnswer } = options
  const known = [host, ...hosts]
  const atEndOfTurn = endOfTurn()
  let closing = false
  const server = createServer(
    {
      requestTimeout: 30_000,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
    },
    (request, response) => {
      if (closing) response.setHeader('connection', 'close')
      const began = performance.now()
      response.on('close', () => {
        if (closing) server.closeIdleConnections()
        onAnswer?.({
          method: request.method ?? '',
          // Behind the question mark there may be somebody's name.
          path: request.url?.split('?')[0] ?? '',
          status: response.statusCode,
          ms: performance.now() - began,
        })
      })
      const foreign = refuseForeign(request, known)
      if (foreign) return refuse(response, foreign)
      answer(service, request, response, atEndOfTurn).catch(() => response.destroy())
    },
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    // A client that offers HTTP/2 (`Upgrade: h2c`) is content with HTTP/1.1: the request is read once more without the offer.
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      const { rawHeaders } = request
      let text = `${request.method} ${request.url} HTTP/1.1\r\n`
      for (let i = 0; i < rawHeaders.length; i += 2)
        if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[i] ?? ''))
          text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
      socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
      server.emit('connection', socket)
      return
    }
    const foreign = closing || !upgrade ? 'no upgrade here' : refuseForeign(request, known)
    if (foreign || !upgrade)
      socket
        .once('finish', () => socket.destroy())
        .end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n')
    else upgrade(request, socket, head).catch(() => socket.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        closing = true
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
    cut: () => server.closeAllConnections(),
  }
}

async function answer(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  atEndOfTurn: (send: () => void) => void,
): Promise<void> {
  // Most requests have no body, and waiting for none costs more than answering.
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
  let body: string | undefined = ''
  if (length || encoding) {
    const bytes = await readBody(request, maxBodyBytes)
    if (bytes === undefined) return refuse(response, `the body is larger than ${maxBodyBytes} bytes`)
    body = decode(bytes)
    if (body === undefined) return refuse(response, 'the body is not valid UTF-8')
  }
  const answered = await service({
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    // Node joins what comes twice, but for Set-Cookie, which no request has.
    headers: request.headers as WireRequest['headers'],
    body,
  })
  const send = () => {
    const { status, headers, text } = answered
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(text) })
    // As text, Node writes it together with the headers.
    response.end(text)
  }
  // Writes have waited for their commit, and come from it together.
  if (request.method === 'GET') atEndOfTurn(send)
  else send()
}

/**
 * Answers to reads leave together, once a turn of the event loop: written one by one, each would wake its client, and
 * be held up by it where the two share a machine.
 */
function endOfTurn(): (send: () => void) => void {
  let waiting: (() => void)[] = []
  return (send) => {
    if (waiting.length === 0)
      setImmediate(() => {
        const sends = waiting
        waiting = []
        for (const each of sends) each()
      })
    waiting.push(send)
  }
}

/** The connection ends with the answer: the rest of the body is not waited for. */
function refuse(response: ServerResponse, message: string): void {
  response.writeHead(400, { 'content-type': 'application/json; charset=utf-8', connection: 'close' })
  response.end(`${JSON.stringify({ error: { code: 'invalid_parameters', message } })}\n`)
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function decode(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
