/** Whether a host name of a URL is this machine: it is never reached through a proxy, and may be used without TLS. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname)
}
