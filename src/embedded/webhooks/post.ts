import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import request from 'undici/lib/api/api-request.js'
import Agent from 'undici/lib/dispatcher/agent.js'

/** Posts a body and returns the status of the answer. Rejects when there is no answer in time. */
export type Post = (url: string, headers: Record<string, string>, body: string) => Promise<number>

/** Resolves a host name to its addresses, as `lookup` of node:dns does. */
export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

const timeoutMs = 10_000

/** The address must not be posted to: whoever can create a room could reach into the network behind the service. */
export class ForbiddenAddress extends Error {}

/** What Azure shows its machines, at an address that looks public. */
const azure = '168.63.129.16'

/** Public addresses and loopback; nothing of the network that the service stands in. */
function isAllowed(address: string): boolean {
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return true
  if (range !== 'unicast' || parsed.toString() === azure) return false
  // What IPv6 has not given to the internet is private to somebody, or IPv4 in disguise (`::10.0.0.1`).
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parse('2000::'), 3)
}

/** Checks a name when connecting, so that it cannot point elsewhere after the check. */
const guarded =
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

/**
 * Returns how webhooks are posted: within ten seconds, without redirects.
 * @param allowPrivate lets private and link-local addresses be posted to
 */
export function createPost({
  allowPrivate,
  lookup = dnsLookup,
}: {
  allowPrivate: boolean
  lookup?: Lookup
}): Post & { close(): Promise<void> } {
  const agent = new Agent({
    connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: guarded(lookup) }) },
    pipelining: 1,
    keepAliveTimeout: 1000,
  })
  const post: Post = async (url, headers, body) => {
    const { origin, hostname, pathname, search } = new URL(url)
    // A literal address is never looked up.
    const literal = hostname.replace(/^\[|\]$/g, '')
    if (!allowPrivate && ipaddr.isValid(literal) && !isAllowed(literal)) throw new ForbiddenAddress(hostname)
    const answer = await request.call(agent, {
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    // Nobody needs the body of the answer, but the connection is only reusable once it is read.
    await answer.body.dump({ limit: 64 * 1024 })
    return answer.statusCode
  }
  return Object.assign(post, { close: () => agent.destroy() })
}
