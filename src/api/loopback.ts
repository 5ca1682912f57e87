/** Returns true for loopback hosts, with IPv6 in brackets. Requests to them need no proxy and no TLS. */
export function isLoopback(hostname: string): boolean {
  return /^((.+\.)?localhost\.?|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/i.test(
    hostname,
  )
}
