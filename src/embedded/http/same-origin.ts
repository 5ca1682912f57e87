import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../api/loopback.ts'

/**
 * Keeps web pages out of a service on this machine. A page can send requests to it, and after DNS rebinding even read
 * the answers, but it cannot forge `Host` or `Origin`.
 * @param hosts names under which the service may be addressed, besides loopback
 * @returns why the request is refused, or undefined
 */
export function refuseForeign(request: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { host, origin } = request.headers
  // Node reads the first one; a proxy on the way may have read another.
  if (countHosts(request.rawHeaders) > 1) return 'there is more than one Host header'
  const name = hostName(host)
  if (name === undefined || !isKnown(name, hosts)) return 'the Host header does not name this service'
  // A host in the target counts for more than the header (RFC 9112, section 3.2.2).
  const { url = '/' } = request
  if (!url.startsWith('/') && !url.startsWith(`http://${host}/`)) return 'the request target is elsewhere'
  if (origin === undefined) return undefined
  // `null` is the origin of sandboxed frames and local files: foreign too.
  return origin === `http://${host}` || origin === `https://${host}` ? undefined : 'the Origin is foreign'
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
  // Served to the network, any address may be ours; a page comes from a name.
  const everywhere = hosts.includes('0.0.0.0') || hosts.includes('::')
  return hosts.some((host) => host.toLowerCase() === name) || (everywhere && isIP(name) !== 0)
}
