import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { WireRequest } from '../../api/wire.ts'
import type { TextResponse } from '../service/response.ts'
import type { Service } from '../service/service.ts'
import { readBody } from './body.ts'

/** Maximum size of a request body, in bytes. */
const maxBodyBytes = 10 * 1024 * 1024

export interface Exchange {
  id: string
  operation: string | undefined
  /** True once the body has been read and the service works on the request. */
  hasBegun: boolean
}

export function createAnswerer(
  service: Service,
  refuse: (response: ServerResponse, message: string, requestId: string) => void,
): (request: IncomingMessage, response: ServerResponse, exchange: Exchange) => Promise<void> {
  const atEndOfTurn = createTurnBatch()
  return async (request, response, exchange) => {
    // Most requests have no body, and awaiting an empty body costs more than responding.
    const body = hasBody(request) ? await readBodyText(request) : noBody
    if (body.refused !== undefined) return refuse(response, body.refused, exchange.id)
    exchange.hasBegun = true
    const answered = await service({
      method: request.method ?? 'GET',
      url: request.url ?? '/',
      headers: request.headers as WireRequest['headers'],
      body: body.text,
    })
    exchange.operation = answered.operation
    const send = () => {
      if (answered.connection) return breakConnection(response, answered, exchange.id)
      const { status, headers, text, pieces } = answered
      const length = pieces ? lengthOf(pieces) : Buffer.byteLength(text)
      response.writeHead(status, { ...headers, 'content-length': length, 'x-request-id': exchange.id })
      // `end` sends the headers and a text body in a single write.
      if (pieces) Readable.from(pieces).pipe(response)
      else response.end(text)
    }
    // Responses to writes are already batched, because concurrent writes share a commit.
    if (request.method === 'GET') atEndOfTurn(send)
    else send()
  }
}

function breakConnection(
  response: ServerResponse,
  { connection, status, headers, body }: TextResponse,
  requestId: string,
): void {
  const { socket } = response.req
  if (connection === 'reset') return void socket.resetAndDestroy()
  response.writeHead(status, { ...headers, 'content-length': body.length, 'x-request-id': requestId })
  response.write(body.subarray(0, body.length / 2), () => socket.destroy())
}

function lengthOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((bytes, piece) => bytes + piece.length, 0)
}

/** Refuses a request and closes the connection without reading the rest of the body. */
export function refuse(response: ServerResponse, message: string, requestId: string): void {
  response.writeHead(400, {
    'content-type': 'application/json; charset=utf-8',
    connection: 'close',
    'x-request-id': requestId,
  })
  response.end(`${JSON.stringify({ error: { code: 'invalid_parameters', message } })}\n`)
}

/** Returns a function that batches the responses of one turn of the event loop, so that clients wake up less often. */
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

type Body = { text: string; refused?: never } | { refused: string }

const noBody: Body = { text: '' }

function hasBody({ headers }: IncomingMessage): boolean {
  return Boolean(headers['content-length'] || headers['transfer-encoding'])
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

async function readBodyText(request: IncomingMessage): Promise<Body> {
  const bytes = await readBody(request, maxBodyBytes)
  if (bytes === undefined) return { refused: `the body is larger than ${maxBodyBytes} bytes` }
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    return { refused: 'the body is not valid UTF-8' }
  }
}
