import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { invalid } from '../faults.ts'
import type { Service } from '../service.ts'
import { createAnswerer, refuse } from './answer.ts'
import { limitConnections } from './connections.ts'
import { refuseForeign } from './same-origin.ts'
import { declineUpgrade, refuseUpgrade, type Upgrade, wantsWebSocket } from './upgrade.ts'

export interface HttpServer {
  /** Scheme, host and port: the base URL is this with `/v1` behind it. */
  url: string
  /** Stops accepting, lets answers under way finish, and resolves when the last connection is gone. */
  close(): Promise<void>
  /** Cuts the connections that are left. */
  cut(): void
}

export interface HttpOptions {
  host: string
  /** 0 picks a free one. */
  port: number
  /** Names under which the service may be addressed, besides loopback and `host`. */
  hosts?: readonly string[]
  /** Maximum number of connections. By default, what the handles of the process allow. */
  maxConnections?: number
  upgrade?: Upgrade
  /** Told of each answer, for the log. */
  onAnswer?: (line: LogLine) => void
}

interface LogLine {
  method: string
  path: string
  status: number
  ms: number
}

const limits = {
  requestTimeout: 30_000,
  headersTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
}

/**
 * Serves the service over HTTP.
 * @throws when `host` and `port` cannot be listened on
 */
export async function serveHttp(service: Service, options: HttpOptions): Promise<HttpServer> {
  const { host, port, hosts = [], maxConnections, upgrade, onAnswer } = options
  const known = [host, ...hosts]
  const answer = createAnswerer(service)
  let closing = false
  const server = createServer(limits, (request, response) => {
    if (closing) response.setHeader('connection', 'close')
    const began = performance.now()
    response.on('close', () => {
      if (closing) server.closeIdleConnections()
      onAnswer?.(lineOf(request, response, performance.now() - began))
    })
    const foreign = refuseForeign(request, known)
    if (foreign) return refuse(response, foreign)
    answer(request, response).catch(() => response.destroy())
  })
  limitConnections(server, maxConnections)
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    if (!wantsWebSocket(request)) return declineUpgrade(server, request, socket, head)
    const foreign = refuseForeign(request, known)
    if (foreign) refuseUpgrade(socket, invalid(foreign))
    else if (closing || !upgrade) refuseUpgrade(socket, invalid('no upgrade here'))
    else upgrade(request, socket, head).catch(() => socket.destroy())
  })
  await listening(server, port, host)
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

function lineOf(request: IncomingMessage, response: ServerResponse, ms: number): LogLine {
  // The query may hold somebody’s name.
  return {
    method: request.method ?? '',
    path: request.url?.split('?')[0] ?? '',
    status: response.statusCode,
    ms,
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}
