import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Fault } from '../common/faults.ts'

export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

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
  const body = `${JSON.stringify({ error: { code, message } })}\n`
  socket.once('finish', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nConnection: close\r\n` +
      'Content-Type: application/json; charset=utf-8\r\n' +
      `X-Request-Id: ${requestId}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
