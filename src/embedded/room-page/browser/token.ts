/**
 * Takes the access token from the fragment of the address, and removes it there. It stays in this tab, so that the page
 * can be reloaded.
 * @param key name under which the tab keeps the token of the room
 */
export function takeToken(key: string): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('access_token')
  if (location.hash !== '') history.replaceState(null, '', location.pathname)
  if (given === null) return read(key)
  keepToken(key, given)
  return given
}

/** Keeps the token for a reload, or forgets it. */
export function keepToken(key: string, token: string | undefined): void {
  // An embedded page may have no storage.
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

/** Encodes a token for a WebSocket subprotocol, whose characters are limited. Unlike a URL, it is not logged. */
export function toProtocol(token: string): string {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token))
  return `access-token.${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`
}
