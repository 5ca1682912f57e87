import type { IncomingMessage, ServerResponse } from 'node:http'

const maxDiscardedBytes = 10 * 1024 * 1024
const maxDiscardMs = 2000

/**
 * Sends the last response of a connection. Discards unread bytes before closing, because closing with unread
 * bytes could lose the response.
 */
export async function sendLast(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string | number>>,
  text = '',
): Promise<void> {
  response.writeHead(status, { ...headers, connection: 'close' })
  response.flushHeaders()
  response.write(text)
  await discardBody(response.req)
  response.end()
}

function discardBody(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (request.readableEnded || request.destroyed) return resolve()
    let size = 0
    const timer = setTimeout(resolve, maxDiscardMs)
    const count = (chunk: Buffer) => {
      size += chunk.length
      if (size > maxDiscardedBytes) resolve()
    }
    request
      .on('data', count)
      .once('end', resolve)
      .once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      .resume()
  })
}
