/**
 * Moves an access token from the URL fragment to the storage of this tab, for reloads.
 * @returns the token of the URL, otherwise any stored token
 */
export function takeToken(key: string): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('access_token')
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  if (given === null) return read(key)
  keepToken(key, given)
  return given
}

/** Stores the token for a reload; undefined removes the stored token. */
export function keepToken(key: string, token: string | undefined): void {
  // Browsers may deny storage to an embedded page.
  try {
    if (token === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, token)
  } catch {}
}

function read(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined
  }
}

/** Encodes a token as a WebSocket subprotocol, because servers and proxies often log URLs. */
export function toProtocol(token: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token))
  return `access-token.${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
