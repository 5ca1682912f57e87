const names =
  /^(connection|content-length|expect|host|http2-settings|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i

/** Returns true for a header that only the HTTP client may set. */
export function isConnectionHeader(name: string): boolean {
  return names.test(name)
}
