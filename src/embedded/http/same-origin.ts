import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../api/loopback.ts'

/**
 * Returns why a request of a foreign web page is refused. A page can send requests to a local service, and read the
 * responses after DNS rebinding, but it cannot forge `Host` or `Origin`.
 */
export function refuseForeign(request: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { host, origin } = request.headers
  // Node reads the first Host header; a proxy may have read another one.
  if (countHosts(request.rawHeaders) > 1) return 'there is more than one Host header'
  const name = hostName(host)
  if (name === undefined || !isKnown(name, hosts)) return 'the Host header does not name this service'
  // A host in the request target takes precedence over the header (RFC 9112, section 3.2.2).
  const { url = '/' } = request
  if (!url.startsWith('/') && !url.startsWith(`http://${host}/`))
    return 'the request target names another server'
  if (origin === undefined) return undefined
  // `null` is the origin of sandboxed frames and local files.
  return origin === `http://${host}` || origin === `https://${host}`
    ? undefined
    : 'the Origin is another site'
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0
  for (let i = 0; i < rawHeaders.length; i += 2) if (rawHeaders[i]?.toLowerCase() === 'host') count++
  return count
}

function hostName(host: string | undefined): string | undefined {
  const [, address, name] = /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(host ?? '') ?? []
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : undefined
  return name?.toLowerCase()
}

function isKnown(name: string, hosts: readonly string[]): boolean {
  if (isLoopback(name.includes(':') ? `[${name}]` : name)) return true
  // Served on all interfaces, any IP address may be ours. DNS rebinding needs a name.
  const everywhere = hosts.includes('0.0.0.0') || hosts.includes('::')
  return hosts.some((host) => host.toLowerCase() === name) || (everywhere && isIP(name) !== 0)
}
