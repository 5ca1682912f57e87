import type { IncomingMessage } from 'node:http'

/** Returns why a request is refused that a proxy could split differently (request smuggling). */
export function refuseFraming({ httpVersion, headers }: IncomingMessage): string | undefined {
  if (!/^1\.[01]$/.test(httpVersion)) return 'only HTTP/1.1 is supported'
  // Node accepts any length below 2⁶⁴.
  if (Number(headers['content-length'] ?? 0) > Number.MAX_SAFE_INTEGER)
    return 'the Content-Length is too large'
  const encoding = headers['transfer-encoding']
  if (encoding === undefined) return undefined
  // HTTP/1.0 has no chunks. Other codings may compress them.
  const isChunked = httpVersion === '1.1' && encoding.toLowerCase() === 'chunked'
  return isChunked ? undefined : 'the only Transfer-Encoding accepted is chunked'
}
