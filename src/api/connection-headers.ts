const names = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Returns true for a header that concerns the transport of a message. Only the HTTP client may set such a
 * header.
 */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return names.has(lower) || lower.startsWith('proxy-')
}
