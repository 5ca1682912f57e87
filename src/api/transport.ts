import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { Connections } from './connections.ts'
import { errorCode, failure } from './failure.ts'
import { proxyFor } from './proxy.ts'
import { maxBodyBytes, type Transport, type WireRequest, type WireResponse } from './wire.ts'

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
  const pool = new Pool(origin, { connections: most, connect: connections.open })
  // Requests under way, and those that failed: their connections may be in any state.
  let unanswered = 0
  const transport: Transport = async (wire, signal, withdrawn) => {
    unanswered++
    const exchange = new Exchange()
    try {
      const answer = await exchange.run(pool, origin, wire, signal, withdrawn)
      // One that was cut off leaves a connection behind, as a failure does.
      if (answer.unreadable === undefined) unanswered--
      const encoding = answer.headers['content-encoding']
      if (!encoding || encoding === 'identity' || answer.body.length === 0) return answer
      return { ...answer, ...(await decoded(answer.body, encoding)) }
    } catch (error) {
      const { maybeSent } = exchange
      const aborted = signal.aborted || (!maybeSent && withdrawn?.aborted === true)
      throw failure(error, { maybeSent, aborted, proxy: proxy?.name })
    }
  }
  return Object.assign(transport, {
    close: async () => {
      // Idle connections keep nothing running and end with the process: closing them would take 2 ms of every command.
      if (unanswered === 0) return
      const ended = pool.destroy()
      connections.close()
      await ended
    },
  })
}

/** One request and its answer, received whole and still encoded. undici’s own `request` makes a stream of each, at several times the cost. */
class Exchange {
  /** undici calls `onConnect` just before it writes to the socket: until then the service has seen nothing. */
  maybeSent = false
  #isWithdrawn = false
  #head: Pick<WireResponse, 'status' | 'headers'> = { status: 0, headers: {} }
  readonly #chunks: Buffer[] = []
  #size = 0

  run(
    dispatcher: Dispatcher,
    origin: string,
    wire: WireRequest,
    signal: AbortSignal,
    withdrawn: AbortSignal | undefined,
  ): Promise<WireResponse> {
    return new Promise((resolve, reject) => {
      let abort: (() => void) | undefined
      // A request that is waiting for a connection also ends at once, and is never sent.
      const stop = () => {
        abort?.()
        settle(reject, signal.reason)
      }
      const leave = () => {
        if (this.maybeSent) return
        this.#isWithdrawn = true
        settle(reject, withdrawn?.reason)
      }
      const settle = <T>(how: (value: T) => void, value: T) => {
        signal.removeEventListener('abort', stop)
        withdrawn?.removeEventListener('abort', leave)
        how(value)
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', stop)
      withdrawn?.addEventListener('abort', leave)
      const { pathname, search } = new URL(wire.url)
      dispatcher.dispatch(
        {
          origin,
          path: pathname + search,
          method: wire.method as Dispatcher.HttpMethod,
          headers: wire.headers,
          body: wire.body ?? null,
          headersTimeout: 0,
          bodyTimeout: 0,
        },
        {
          onConnect: (end) => {
            if (signal.aborted || this.#isWithdrawn) return end(signal.reason ?? withdrawn?.reason)
            this.maybeSent = true
            abort = () => end(signal.reason)
          },
          onHeaders: (status, raw) => {
            this.#head = { status, headers: readHeaders(raw) }
            return true
          },
          onData: (chunk) => {
            this.#chunks.push(chunk)
            this.#size += chunk.length
            if (this.#size <= maxBodyBytes) return true
            settle(resolve, { ...this.#head, body: nothing, unreadable: tooLarge })
            abort?.()
            return false
          },
          onComplete: () => settle(resolve, { ...this.#head, body: join(this.#chunks) }),
          onError: (error) => settle(reject, error),
        },
      )
    })
  }
}

function join(chunks: readonly Buffer[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Names and values alternate; names in any case. */
function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase()
    const value = raw[i + 1]?.toString('latin1') ?? ''
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

const nothing = new Uint8Array()
const tooLarge = `it is larger than ${maxBodyBytes / 1024 / 1024} MB`

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
