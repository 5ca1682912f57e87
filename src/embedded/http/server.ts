import { createServer, IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { invalid } from '../common/faults.ts'
import type { RequestEntry } from '../common/log.ts'
import { createRequestIds, setRequestId } from '../common/request-id.ts'
import { createErrorResponse, type Service } from '../service/service.ts'
import { isWebSocketUpgrade, refuseUpgrade, type Upgrade } from '../sessions/upgrade.ts'
import type { limits } from './connections.ts'
import { refuseFraming } from './framing.ts'
import { LimitedServer } from './limited-server.ts'
import { createResponder, type Exchange } from './responder.ts'
import { refuseForeign } from './same-origin.ts'

interface HttpOptions {
  host: string
  port: number
  /** Accepted host names in addition to loopback names and `host`. */
  hosts?: readonly string[]
  maxConnections?: number
  timeouts?: Partial<typeof limits>
  /** Returns true for a request with the API key. */
  isKnown?: (request: IncomingMessage) => boolean
  upgrade?: Upgrade
  onResponse?: (entry: RequestEntry, operation: string | undefined) => void
}

/** @throws a system error if the server cannot listen on `host` and `port` */
export async function serveHttp(service: Service, options: HttpOptions) {
  const { host, port, hosts = [], maxConnections, timeouts, isKnown, upgrade, onResponse } = options
  const findRefusal = (request: IncomingMessage) =>
    refuseForeign(request, [host, ...hosts]) ?? refuseFraming(request)
  let running = 0
  const onBegin = () => void running++
  const { respond, end } = createResponder(service, onBegin, ({ socket }) => server.end(socket))
  const identify = createRequestIds()
  const createExchange = (request: IncomingMessage, isWaiting: boolean, isLast: boolean): Exchange => ({
    ...{ id: identify(request), isWaiting, isLast, operation: undefined, hasBegun: false },
  })
  let closing = false
  const handle = (request: IncomingMessage, response: ServerResponse, isWaiting: boolean) => {
    if (closing) response.setHeader('connection', 'close')
    const startedAt = performance.now()
    const isLast = request.headers.upgrade !== undefined
    if (isLast) server.end(request.socket)
    const exchange = createExchange(request, isWaiting, isLast)
    response.on('close', () => {
      if (exchange.hasBegun) running--
      onResponse?.(
        describeResponse(request, response, exchange.id, performance.now() - startedAt),
        exchange.operation,
      )
      if (closing) server.closeIdleConnections()
    })
    const refusal = findRefusal(request)
    if (refusal) return end(response, createErrorResponse(invalid(refusal)), exchange)
    respond(request, response, exchange).catch(() => response.destroy())
  }
  const server: LimitedServer = new LimitedServer(
    { ...timeouts, ...createUpgradeOptions(), maxConnections, isKnown },
    (request, response) => handle(request, response, false),
  )
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = createErrorResponse(invalid('the Expect header must be 100-continue'))
    end(response, refusal, createExchange(request, false, true))
  })
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    handle(request, response, true),
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const requestId = identify(request)
    setRequestId(request, requestId)
    const refusal = findRefusal(request)
    if (refusal) refuseUpgrade(socket, invalid(refusal), requestId)
    else if (closing || !upgrade)
      refuseUpgrade(socket, invalid('the service does not accept WebSockets'), requestId)
    else upgrade(request, socket, head).catch(() => socket.destroy())
  })
  return {
    /** Scheme, host and port, without `/v1`. */
    url: await server.listenAt(host, port),
    /** Stops accepting connections, finishes pending responses, and waits until all connections are closed. */
    close() {
      closing = true
      return server.finish()
    },
    /** Closes the remaining connections. Returns the number of complete requests without a response. */
    cut() {
      const cut = running
      server.closeAllConnections()
      return cut
    },
  }
}

function describeResponse(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  ms: number,
): RequestEntry {
  const { method = '', url = '', socket } = request
  const { headersSent, statusCode, writableEnded } = response
  // `sendLast` ends a sent response only after it has discarded the rest of the request.
  const isCut = !headersSent || (writableEnded && socket.destroyed)
  return {
    event: 'request',
    method,
    path: url.replace(/\?.*/s, ''),
    status: headersSent ? statusCode : null,
    ...(isCut && { cut: true }),
    ms,
    request_id: requestId,
  }
}

/**
 * Creates options that treat upgrades to protocols other than WebSocket as plain requests. Node may drop
 * bytes after such a request, so the response must be the last of the connection.
 */
function createUpgradeOptions(): ServerOptions {
  const hasCallback = 'shouldUpgradeCallback' in createServer()
  return hasCallback
    ? ({ shouldUpgradeCallback: isWebSocketUpgrade } as ServerOptions)
    : { IncomingMessage: WebSocketUpgradeMessage }
}

/** Request class for Node without `shouldUpgradeCallback`, where a true `upgrade` ends HTTP parsing. */
class WebSocketUpgradeMessage extends IncomingMessage {
  // Without `declare`, the field would replace the value that the superclass constructor sets.
  declare isOffered: boolean | null

  get upgrade(): boolean | null {
    return this.isOffered && (this.method === 'CONNECT' || isWebSocketUpgrade(this))
  }

  set upgrade(value: boolean | null) {
    this.isOffered = value
  }
}
