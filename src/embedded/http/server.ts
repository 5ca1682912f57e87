import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { busy as busyFault, invalid } from '../common/faults.ts'
import type { RequestEntry } from '../common/log.ts'
import { createRequestIds, setRequestId } from '../common/request-id.ts'
import { createErrorResponse, type Service } from '../service/service.ts'
import { refuseUpgrade, type Upgrade } from '../sessions/upgrade.ts'
import { createAnswerer, type Exchange } from './answer.ts'
import { limitConnections, limits, type RequestTimeouts } from './connections.ts'
import { refuseFraming } from './framing.ts'
import { createForeignCheck } from './same-origin.ts'
import { createUpgradeOptions } from './upgrade-offers.ts'

interface HttpServer {
  /** Scheme, host and port, without `/v1`. */
  url: string
  /** Stops accepting connections, finishes pending responses, and resolves when the last connection is closed. */
  close(): Promise<void>
  /** Closes the remaining connections immediately. Returns the number of complete requests without a response. */
  cut(): number
}

interface HttpOptions {
  host: string
  port: number
  /** Accepted host names in addition to loopback names and `host`. */
  hosts?: readonly string[]
  maxConnections?: number
  /** Timeouts for receiving requests, in milliseconds. */
  timeouts?: Partial<RequestTimeouts>
  upgrade?: Upgrade
  onAnswer?: (answer: RequestEntry, operation: string | undefined) => void
}

/** Maximum number of requests of a connection that wait for a response. The next one is its last. */
const maxPendingRequests = 64

/** @throws when the server cannot listen on `host` and `port` */
export async function serveHttp(service: Service, options: HttpOptions): Promise<HttpServer> {
  const { host, port, hosts = [], maxConnections, timeouts, upgrade, onAnswer } = options
  const refuseForeign = createForeignCheck([host, ...hosts])
  /** Connections whose last request has arrived. */
  const ended = new WeakSet<Duplex>()
  const busy = new WeakSet<Duplex>()
  const pendingRequests = new WeakMap<Duplex, number>()
  let running = 0
  const { answer, end } = createAnswerer(service, {
    onBegin: () => void running++,
    onLast: ({ socket }) => void ended.add(socket),
  })
  const identify = createRequestIds()
  let closing = false
  const handle = (request: IncomingMessage, response: ServerResponse, isWaiting: boolean) => {
    // Requests after the last response of a connection are ignored, because their responses could not be sent.
    if (ended.has(request.socket)) return
    if (closing) response.setHeader('connection', 'close')
    const startedAt = performance.now()
    const { socket } = request
    const isLast = request.headers.upgrade !== undefined
    if (isLast) ended.add(socket)
    const exchange: Exchange = {
      id: identify(request),
      isWaiting,
      isLast,
      operation: undefined,
      hasBegun: false,
    }
    busy.add(socket)
    const pending = (pendingRequests.get(socket) ?? 0) + 1
    pendingRequests.set(socket, pending)
    response.on('close', () => {
      busy.delete(socket)
      pendingRequests.set(socket, (pendingRequests.get(socket) ?? 1) - 1)
      if (exchange.hasBegun) running--
      if (closing) server.closeIdleConnections()
      onAnswer?.(
        describeAnswer(request, response, exchange.id, performance.now() - startedAt),
        exchange.operation,
      )
    })
    if (pending > maxPendingRequests) {
      end(response, createErrorResponse(busyFault('too many requests of this connection wait')), exchange)
      // One read can hold thousands of requests, and parsing them would delay all other clients.
      return void socket.pause()
    }
    const refusal = refuseForeign(request) ?? refuseFraming(request)
    if (refusal) return end(response, createErrorResponse(invalid(refusal)), exchange)
    answer(request, response, exchange).catch(() => response.destroy())
  }
  const server = createServer({ ...limits, ...timeouts, ...createUpgradeOptions() }, (request, response) =>
    handle(request, response, false),
  )
  const heard = limitConnections(server, maxConnections)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    heard(request.socket)
    if (ended.has(request.socket)) return
    const exchange = {
      id: identify(request),
      isWaiting: false,
      isLast: true,
      operation: undefined,
      hasBegun: false,
    }
    end(response, createErrorResponse(invalid('the only expectation is 100-continue')), exchange)
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    heard(request.socket)
    handle(request, response, true)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    heard(request.socket)
    if (ended.has(socket)) return void socket.end()
    // A pending response would be written into the upgraded stream.
    if (busy.has(socket)) return void socket.destroy()
    socket.on('error', () => socket.destroy())
    const requestId = identify(request)
    setRequestId(request, requestId)
    const refusal = refuseForeign(request) ?? refuseFraming(request)
    if (refusal) refuseUpgrade(socket, invalid(refusal), requestId)
    else if (closing || !upgrade) refuseUpgrade(socket, invalid('no upgrade here'), requestId)
    else upgrade(request, socket, head).catch(() => socket.destroy())
  })
  await listen(server, port, host)
  const { port: bound } = server.address() as AddressInfo
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        closing = true
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
    cut() {
      const cut = running
      server.closeAllConnections()
      return cut
    },
  }
}

function describeAnswer(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  ms: number,
): RequestEntry {
  const { url = '' } = request
  const query = url.indexOf('?')
  return {
    event: 'request',
    method: request.method ?? '',
    path: query < 0 ? url : url.slice(0, query),
    status: response.statusCode,
    ms,
    request_id: requestId,
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, resolve)
  })
}
