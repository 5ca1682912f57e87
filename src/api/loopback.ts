/** Returns true for loopback host names. Requests to such hosts need no proxy and no TLS. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
