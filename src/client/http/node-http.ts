import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { closedCode, createClosedError } from '../../api/connection-failure.ts'
import type { Connections } from './connections.ts'
import type { HttpExchange } from './exchange.ts'

/** Maximum idle time of a connection, in milliseconds. A shorter `Keep-Alive` takes precedence. */
const idleMs = 4000

/** HTTP library of Node, which starts faster than undici. */
export class NodeHttp {
  hasContinued = false
  readonly #agent = new Agent({ keepAlive: true, timeout: idleMs })
  readonly #target: object

  constructor(origin: string, connections: Connections) {
    const { hostname: host, port, protocol } = new URL(origin)
    const defaultPort = protocol === 'https:' ? 443 : 80
    this.#target = {
      agent: this.#agent,
      host,
      port,
      defaultPort,
      maxHeaderSize: 16_384,
      joinDuplicateHeaders: true,
    }
    // Node gets only connected and trusted sockets, so that nothing is written earlier.
    Object.assign(this.#agent, {
      createConnection(_options: unknown, callback: (error: Error | null, socket?: unknown) => void) {
        connections.open().then((socket) => callback(null, socket), callback)
      },
    })
  }

  dispatch({ path, method, headers, body }: HttpExchange['options'], exchange: HttpExchange): void {
    let sent: ClientRequest
    try {
      sent = request({ ...this.#target, path, method, headers })
    } catch (error) {
      // A header or path has a character that HTTP forbids.
      exchange.onResponseError(undefined, error)
      return
    }
    // Node omits the length of a body with some methods, such as DELETE.
    if (body !== null && method !== 'POST') sent.setHeader('content-length', Buffer.byteLength(body))
    const controller = { abort: (error: Error) => void sent.destroy(error) }
    let response: IncomingMessage | undefined
    sent
      .once('socket', () => exchange.onRequestStart(controller))
      .on('continue', () => {
        this.hasContinued = true
      })
      .once('response', (received) => {
        response = received
        exchange.onResponseStart(controller, received.statusCode ?? 0, received.headers)
        received
          .on('data', (chunk) => exchange.onResponseData(controller, chunk))
          .once('end', () => exchange.onResponseEnd())
      })
      .on('error', (error: NodeJS.ErrnoException) => {
        // `Connections` changes the code of a reset, so ECONNRESET here means a closed connection.
        if (error.code === 'ECONNRESET') error.code = closedCode
        exchange.onResponseError(controller, error)
      })
      .once('close', () => {
        if (!response?.complete) exchange.onResponseError(controller, createClosedError())
      })
      .end(body ?? undefined)
  }
}
