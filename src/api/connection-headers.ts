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

/** Returns true for a header that only the HTTP client may set. */
export function isConnectionHeader(name: string): boolean {
  const lower = name.toLowerCase()
  return names.has(lower) || lower.startsWith('proxy-')
}
