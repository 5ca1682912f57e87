import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'

/** Posts a body and returns the response status. Rejects on a timeout. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>

export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const timeoutMs = 10_000

/** Error for a private address: clients that can create rooms must not reach the private network. */
export class ForbiddenAddress extends Error {}

/** Azure's metadata address, which looks public. */
const azureMetadataAddress = '168.63.129.16'

/** Returns true for public addresses and loopback. */
function isAllowed(address: string): boolean {
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return true
  if (range !== 'unicast' || parsed.toString() === azureMetadataAddress) return false
  // IPv6 outside 2000::/3 is private or embeds IPv4 (`::10.0.0.1`).
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parse('2000::'), 3)
}

/** Checks the address when connecting, so that it cannot change after the check. */
const createGuardedLookup =
  (lookup: Lookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      const allowed = error ? [] : found.filter(({ address }) => isAllowed(address))
      const [first] = allowed
      if (error || !first) {
        callback(error ?? Object.assign(new ForbiddenAddress(hostname), { code: 'EFORBIDDEN' }), '', 4)
      } else if (options.all) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }

/** Creates a poster of webhooks with a timeout of ten seconds and without redirects. */
export function createPost({
  allowPrivate,
  lookup = dnsLookup,
}: {
  allowPrivate: boolean
  lookup?: Lookup
}): Post & { close(): Promise<void> } {
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: createGuardedLookup(lookup) }) },
    pipelining: 1,
    keepAliveTimeout: 1000,
  })
  const post: Post = async (url, headers, body) => {
    const { origin, hostname, pathname, search } = new URL(url)
    // A literal address is not looked up.
    const literal = hostname.replace(/^\[|\]$/g, '')
    if (!allowPrivate && ipaddr.isValid(literal) && !isAllowed(literal)) throw new ForbiddenAddress(hostname)
    const response = await request.call(agent, {
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    // The connection is reusable only after the body is read.
    await response.body.dump({ limit: 64 * 1024 })
    return response.statusCode
  }
  return Object.assign(post, { close: () => agent.destroy() })
}
