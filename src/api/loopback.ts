/**
 * Returns true for loopback hosts, with IPv6 in brackets. Requests to them need no proxy and no TLS. Servers
 * accept them as their own hosts, so other spellings, such as `localhost.`, are excluded.
 */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
