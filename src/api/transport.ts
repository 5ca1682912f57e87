import { Clients } from './clients.ts'
import { Connections } from './connections.ts'
import { Exchange, tooLarge } from './exchange.ts'
import { errorCode, failure } from './failure.ts'
import { proxyFor } from './proxy.ts'
import { maxBodyBytes, type Transport, type WireResponse } from './wire.ts'

export interface TransportOptions {
  /** Scheme, host and port that every request goes to. */
  origin: string
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case. NODE_EXTRA_CA_CERTS is Node's own. */
  env: Readonly<Record<string, string | undefined>>
  /** Talk to the origin itself, whatever proxy the environment names. */
  direct?: boolean
  /** Maximum number of connections. */
  connections?: number
}

/**
 * Requests over the network with undici: no redirects followed, no time limits but the caller's signal. `close` ends what is
 * still under way.
 * @throws {UsageError} when the environment names a proxy that cannot be one
 */
export function networkTransport(options: TransportOptions): Transport & { close(): Promise<void> } {
  const { origin, env, direct = false, connections: most = 8 } = options
  const proxy = direct ? undefined : proxyFor(origin, env)
  const connections = new Connections(proxy)
  const clients = new Clients(origin, connections, most)
  const stoppedBy = exchangesBySignal((exchange, reason) => exchange.stop(reason))
  const withdrawnBy = exchangesBySignal((exchange, reason) => exchange.withdraw(reason))
  // Requests under way, and those that failed: their connections may be in any state.
  let unanswered = 0
  const transport: Transport = async (wire, signal, withdrawn) => {
    unanswered++
    const exchange = new Exchange(origin, wire)
    const stopped = stoppedBy(signal).add(exchange)
    const recalled = withdrawn && withdrawnBy(withdrawn).add(exchange)
    try {
      if (signal.aborted) exchange.stop(signal.reason)
      else clients.send(exchange)
      const answer = await exchange.answer
      // One that was cut off leaves a connection behind, as a failure does.
      if (answer.unreadable === undefined) unanswered--
      const encoding = answer.headers['content-encoding']
      if (!encoding || encoding === 'identity' || answer.body.length === 0) return answer
      return { ...answer, ...(await decoded(answer.body, encoding)) }
    } catch (error) {
      const { maybeSent } = exchange
      const aborted = signal.aborted || (!maybeSent && withdrawn?.aborted === true)
      throw failure(error, { maybeSent, aborted, proxy: proxy?.name })
    } finally {
      stopped.delete(exchange)
      recalled?.delete(exchange)
    }
  }
  return Object.assign(transport, {
    close: async () => {
      // Idle connections keep nothing running and end with the process: closing them would take 2 ms of every command.
      if (unanswered === 0) return
      const ended = clients.destroy()
      connections.close()
      await ended
    },
  })
}

/** The exchanges that a signal ends: it serves many, and to listen to it for each takes longer than all that is done here. */
function exchangesBySignal(
  end: (exchange: Exchange, reason: Error) => void,
): (signal: AbortSignal) => Set<Exchange> {
  const all = new WeakMap<AbortSignal, Set<Exchange>>()
  return (signal) => {
    const known = all.get(signal)
    if (known) return known
    const exchanges = new Set<Exchange>()
    all.set(signal, exchanges)
    signal.addEventListener('abort', () => {
      for (const exchange of exchanges) end(exchange, signal.reason)
    })
    return exchanges
  }
}

const nothing = new Uint8Array()

async function decoded(
  raw: Uint8Array,
  encoding: string,
): Promise<Pick<WireResponse, 'body' | 'unreadable'>> {
  const zlib = await import('node:zlib')
  const decoders = new Map([
    ['gzip', zlib.gunzip],
    ['x-gzip', zlib.gunzip],
    ['deflate', zlib.inflate],
    ['br', zlib.brotliDecompress],
  ])
  const decode = decoders.get(encoding.trim().toLowerCase())
  if (!decode) return { body: nothing, unreadable: `the content encoding ${encoding}, is not known` }
  return new Promise((resolve) => {
    decode(raw, { maxOutputLength: maxBodyBytes }, (error, body) => {
      if (!error) return resolve({ body })
      const isTooLarge = errorCode(error) === 'ERR_BUFFER_TOO_LARGE'
      resolve({ body: nothing, unreadable: isTooLarge ? tooLarge : 'its compression is damaged' })
    })
  })
}
