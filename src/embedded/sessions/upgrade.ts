import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Fault } from '../common/faults.ts'

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

/** Response that replaces the handshake of an upgrade request. */
export interface UpgradeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Injected failure: the connection is reset before the response, or closed within the body. */
  readonly connection?: 'reset' | 'cut'
}

export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}

export function refuseUpgrade(socket: Duplex, { status, code, message }: Fault, requestId: string): void {
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    ...(status === 429 && { 'Retry-After': '1' }),
  }
  const text = `${JSON.stringify({ error: { code, message } })}\n`
  respondToUpgrade(socket, { status, headers, text }, requestId)
}

export function respondToUpgrade(
  socket: Duplex,
  { status, headers, text, connection }: UpgradeResponse,
  requestId: string,
): void {
  if (connection === 'reset') {
    if (socket instanceof Socket) socket.resetAndDestroy()
    else socket.destroy()
    return
  }
  const body = Buffer.from(text)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Connection: close',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${body.length}`,
  ]
  socket.once('finish', () => socket.destroy())
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  socket.end(connection === 'cut' ? body.subarray(0, body.length / 2) : body)
}
