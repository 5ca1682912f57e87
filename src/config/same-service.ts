import { isUrl } from '../api/is-url.ts'
import { isLoopback } from '../api/loopback.ts'

/** Names that the hosts files of Linux distributions give to loopback. */
const loopbackNames = /^(localhost[46]?(\.localdomain[46]?)?|ip6-(localhost|loopback))$/
/** Unspecified addresses, which connect to loopback, and IPv4-mapped loopback addresses. */
const loopbackAliases = /^(0\.0\.0\.0|\[::\]|\[::ffff:(0:0|7f[\da-f]{2}:[\da-f]{1,4})\])$/

/** Compares only the host and the port. */
export function isSameService(one: string, other: string): boolean {
  const place = identify(one)
  return place !== undefined && place === identify(other)
}

export function isThisMachine(url: string): boolean {
  if (!isUrl(url)) return false
  const host = readHost(new URL(url))
  return isLoopback(host) || loopbackNames.test(host) || loopbackAliases.test(host)
}

function identify(url: string): string | undefined {
  if (!isUrl(url)) return undefined
  const parsed = new URL(url)
  // An http port often redirects to https, so both default ports count as one service.
  const port = ['80', '443'].includes(parsed.port) ? '' : parsed.port
  return `${isThisMachine(url) ? 'localhost' : readHost(parsed)}:${port}`
}

/** Returns the host without the trailing dot of an absolute name. */
const readHost = ({ hostname }: URL) => hostname.replace(/\.$/, '')
