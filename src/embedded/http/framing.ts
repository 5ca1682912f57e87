import type { IncomingMessage } from 'node:http'

/** Number of headers at which a request is refused, to limit memory. */
export const maxHeaders = 256

/** Returns the reason to refuse unsupported framing or too many headers. Prevents request smuggling. */
export function refuseFraming({ httpVersion, headers, rawHeaders }: IncomingMessage): string | undefined {
  if (!/^1\.[01]$/.test(httpVersion)) return 'only HTTP/1.1 is supported'
  if (rawHeaders.length >= 2 * maxHeaders) return `the request has ${maxHeaders} headers or more`
  // Node accepts lengths below 2⁶⁴, most of which a JavaScript number cannot represent exactly.
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER)
    return 'the Content-Length is too large'
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return undefined
  // HTTP/1.0 has no chunked coding, and other codings can include compression.
  const isChunked = httpVersion === '1.1' && encoding.toLowerCase() === 'chunked'
  return isChunked ? undefined : 'this Transfer-Encoding is not supported'
}
