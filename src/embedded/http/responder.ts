import type { IncomingMessage, ServerResponse } from 'node:http'
import { busy, invalid } from '../common/faults.ts'
import { decodeBody, hasBody } from '../common/requests.ts'
import type { TextResponse } from '../service/response.ts'
import type { Service } from '../service/service.ts'
import { BodyReservation, readBody } from './body.ts'
import { sendLast } from './last-response.ts'

const maxBodyBytes = 10 * 1024 * 1024
/** Maximum size of all request bodies in memory, in bytes. */
const maxBodiesBytes = 64 * 1024 * 1024

export interface Exchange {
  readonly id: string
  /** True if the request has the header `Expect: 100-continue`. */
  readonly isWaiting: boolean
  /** True if the request must be the last request of its connection, regardless of the response. */
  readonly isLast: boolean
  operation: string | undefined
  /** True once the whole request is read. */
  hasBegun: boolean
}

/** @param onLast called if the later requests of a connection must be ignored */
export function createResponder(
  service: Service,
  onBegin: () => void,
  onLast: (request: IncomingMessage) => void,
) {
  const atEndOfTurn = createTurnBatch()
  const budget = { freeBytes: maxBodiesBytes }
  const begin = (exchange: Exchange) => {
    exchange.hasBegun = true
    onBegin()
  }

  async function readText(
    request: IncomingMessage,
    response: ServerResponse,
    exchange: Exchange,
    reservation: BodyReservation,
  ): Promise<string> {
    const body = await readBody(request, maxBodyBytes, reservation, () => {
      if (exchange.isWaiting) response.writeContinue()
    })
    if (body === 'too large') throw invalid(`the body is larger than ${maxBodyBytes} bytes`)
    if (body === 'no memory') throw busy('the service has too many request bodies in memory')
    begin(exchange)
    return decodeBody(body)
  }

  function end(response: ServerResponse, result: TextResponse, exchange: Exchange): void {
    onLast(response.req)
    sendLast(response, result.status, createHeaders(result, exchange), result.text)
  }

  return {
    end,
    async respond(request: IncomingMessage, response: ServerResponse, exchange: Exchange): Promise<void> {
      const { method = 'GET', url = '/' } = request
      const headers = request.headers as Record<string, string>
      let result: TextResponse
      // Most requests have no body, and awaiting an empty body costs more than responding.
      if (hasBody(request)) {
        const reservation = new BodyReservation(budget)
        const readBody = () => readText(request, response, exchange, reservation)
        result = await service({ method, url, headers, readBody }).finally(() => reservation.release())
      } else {
        begin(exchange)
        result = await service({ method, url, headers })
      }
      exchange.operation = result.operation
      const isLast = exchange.isLast || !exchange.hasBegun
      const send = () => {
        if (result.connection) return breakConnection(response, result, exchange.id)
        if (isLast) return end(response, result, exchange)
        response.writeHead(result.status, createHeaders(result, exchange))
        // `end` sends the headers and a text body in a single write.
        response.end(result.text)
      }
      // Concurrent writes share a commit, so their responses are already batched.
      const isWritten = method !== 'GET' && method !== 'HEAD' && result.status === 200
      if (isWritten) send()
      else atEndOfTurn(send)
    },
  }
}

function createHeaders({ headers, text }: TextResponse, { id }: Exchange): Record<string, string | number> {
  return { ...headers, 'content-length': Buffer.byteLength(text), 'x-request-id': id }
}

function breakConnection(
  response: ServerResponse,
  { connection, status, headers, body }: TextResponse,
  requestId: string,
): void {
  const { socket } = response.req
  if (connection === 'reset') return void socket.resetAndDestroy()
  response.writeHead(status, { ...headers, 'content-length': body.length, 'x-request-id': requestId })
  response.end(body.subarray(0, body.length / 2), () => socket.destroy())
}

/** Batches the responses of one event loop turn, which saves a quarter of the CPU time with 8 clients. */
function createTurnBatch(): (send: () => void) => void {
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
