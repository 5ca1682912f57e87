import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback } from '../../api/loopback.ts'

/**
 * Returns the reason to refuse a request of a foreign web page, also after DNS rebinding.
 * @param hosts accepted hosts in addition to loopback hosts; `0.0.0.0` and `::` accept every IP address
 */
export function refuseForeign(request: IncomingMessage, hosts: readonly string[]): string | undefined {
  const { host, origin } = request.headers
  // Node uses the first Host header, but a proxy may have used another one.
  const isHost = (text: string, i: number) => i % 2 === 0 && text.toLowerCase() === 'host'
  if (request.rawHeaders.filter(isHost).length > 1) return 'the request has several Host headers'
  const name = hostName(host)
  if (name === undefined || !isKnown(name, hosts)) return 'the Host header does not name this service'
  // A host in the request target takes precedence over the header (RFC 9112, section 3.2.2).
  const { url = '/' } = request
  if (!url.startsWith('/') && !url.startsWith(`http://${host}/`))
    return 'the request target names another server'
  if (origin === undefined) return undefined
  // Sandboxed frames and local files send the origin `null`, which is refused.
  return origin === `http://${host}` || origin === `https://${host}`
    ? undefined
    : 'the Origin header names another site'
}

function hostName(host: string | undefined): string | undefined {
  const [, address, name, port = 0] =
    /^(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i.exec(host ?? '') ?? []
  if (Number(port) > 65535) return undefined
  if (address !== undefined) return isIP(address) === 6 ? address.toLowerCase() : undefined
  return name?.toLowerCase()
}

function isKnown(name: string, hosts: readonly string[]): boolean {
  if (isLoopback(name.includes(':') ? `[${name}]` : name)) return true
  // Any IP address is safe here, because DNS rebinding needs a host name.
  const everywhere = hosts.includes('0.0.0.0') || hosts.includes('::')
  return hosts.some((host) => host.toLowerCase() === name) || (everywhere && isIP(name) !== 0)
}
