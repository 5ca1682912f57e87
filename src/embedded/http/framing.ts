import type { IncomingMessage } from 'node:http'

/**
 * Refuses requests whose end a proxy on the way could see elsewhere, beyond what the parser of Node refuses: what one
 * takes for a body, the other takes for a request.
 * @returns why the request is refused, or undefined
 */
export function refuseFraming({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (!/^1\.[01]$/.test(httpVersion)) return 'HTTP/1.1 is spoken here'
  // Node lets everything below 2⁶⁴ pass.
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER)
    return 'the Content-Length is too large'
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return undefined
  // HTTP/1.0 knows no chunks, and what is in them may be compressed.
  const isChunked = httpVersion === '1.1' && encoding.toLowerCase() === 'chunked'
  return isChunked ? undefined : 'the only Transfer-Encoding accepted is chunked'
}
