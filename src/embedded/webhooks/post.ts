import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Agent } from 'undici'

/** Resolves with the status and the start of the response body, at most `maxTextBytes`. */
export type Post = (
  url: string,
  headers: Record<string, string>,
  body: string,
) => Promise<{ status: number; text: string }>

export type Lookup = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

export const timeoutMs = 10_000
const maxTextBytes = 4096
const utf8 = new TextDecoder()

/** Error for a forbidden IP address. Clients that can create rooms must not reach private networks. */
export class ForbiddenAddress extends Error {}

/** IP address of Azure's WireServer, which is in a public range. */
const azureMetadataAddress = '168.63.129.16'

/** Returns true for loopback and public IP addresses, except `azureMetadataAddress`. */
function isAllowed(address: string): boolean {
  const parsed = ipaddr.process(address)
  const range = parsed.range()
  if (range === 'loopback') return true
  if (range !== 'unicast' || parsed.toString() === azureMetadataAddress) return false
  // IPv6 addresses outside 2000::/3 can be private or embed an IPv4 address.
  return !(parsed instanceof ipaddr.IPv6) || parsed.match(ipaddr.IPv6.parse('2000::'), 3)
}

/** Creates a DNS lookup that returns only allowed addresses. A separate check could see other addresses. */
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

/** Creates a function that posts webhooks within `timeoutMs`, and does not follow redirects. */
export function createPost(
  allowPrivate: boolean,
  lookup: Lookup = dnsLookup,
): Post & { close(): Promise<void> } {
  let opening: Promise<Agent> | undefined
  /** Loads undici for the first webhook, because a start without undici is faster. */
  async function open(): Promise<Agent> {
    // In the bundle, a dynamically imported CommonJS module has no named exports.
    const { default: undici } = await import('undici')
    return new undici.Agent({
      connect: { timeout: timeoutMs, ...(allowPrivate ? {} : { lookup: createGuardedLookup(lookup) }) },
      pipelining: 1,
      keepAliveTimeout: 1000,
    })
  }
  const post: Post = async (url, headers, body) => {
    const { origin, hostname, pathname, search } = new URL(url)
    // The guarded lookup does not run for an IP address in the URL.
    const literal = hostname.replace(/^\[|\]$/g, '')
    if (!allowPrivate && ipaddr.isValid(literal) && !isAllowed(literal)) throw new ForbiddenAddress(hostname)
    opening ??= open()
    const response = await (await opening).request({
      origin,
      path: pathname + search,
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(timeoutMs),
    })
    const chunks: Buffer[] = []
    let size = 0
    response.body.on('data', (chunk: Buffer) => {
      if (size < maxTextBytes) chunks.push(chunk)
      size += chunk.length
    })
    // The connection can be reused only after the body has been read.
    await response.body.dump({ limit: 64 * 1024 })
    const text = chunks.length === 0 ? '' : utf8.decode(Buffer.concat(chunks).subarray(0, maxTextBytes))
    return { status: response.statusCode, text }
  }
  return Object.assign(post, { close: async () => (await opening)?.destroy() })
}
