import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Fault } from '../common/faults.ts'

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

/** Response to an upgrade request that replaces the handshake. */
export interface UpgradeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** Failure of the connection: reset before the response, or closed within its body. */
  readonly connection?: 'reset' | 'cut'
}

export function isWebSocketUpgrade(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase() === 'websocket'
}

/** Ignores an offer of another protocol, such as HTTP/2 (`Upgrade: h2c`); the server then responds over HTTP/1.1. */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { rawHeaders } = request
  let text = `${request.method} ${request.url} HTTP/1.1\r\n`
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!/^(upgrade|connection|http2-settings)$/i.test(rawHeaders[i] ?? ''))
      text += `${rawHeaders[i]}: ${rawHeaders[i + 1]}\r\n`
  if (/\bclose\b/i.test(request.headers.connection ?? '')) text += 'Connection: close\r\n'
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, 'latin1'), head]))
  server.emit('connection', socket)
}

/** Refuses an upgrade request with a plain HTTP response and closes the connection. */
export function refuseUpgrade(socket: Duplex, { status, code, message }: Fault, requestId: string): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' }
  respondToUpgrade(
    socket,
    { status, headers, text: `${JSON.stringify({ error: { code, message } })}\n` },
    requestId,
  )
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
