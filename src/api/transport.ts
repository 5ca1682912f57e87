import type { Dispatcher } from 'undici'
import Pool from 'undici/lib/dispatcher/pool.js'
import { ServiceError, UsageError } from '../errors.ts'
import { Connections } from './connections.ts'
import { maxBodyBytes, type Transport, TransportError, type WireRequest } from './wire.ts'

export interface TransportOptions {
  /** Scheme, host and port that every request goes to. */
  origin: string
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY, in either case. NODE_EXTRA_CA_CERTS is Node's own. */
  env: Readonly<Record<string, string | undefined>>
  /** Talk to the origin itself, whatever proxy the environment names. */
  direct?: boolean
  /** How many connections at the most. */
  connections?: number
}

/**
 * Requests over the network with undici: no redirects followed, no time limits but the caller's signal.
 * @throws {UsageError} when the environment names a proxy that cannot be one
 */
export function networkTransport(options: TransportOptions): Transport & { close(): Promise<void> } {
  const proxies = options.direct ? undefined : proxiesFor(options)
  const connections = new Connections()
  let opened: Promise<Dispatcher> | undefined
  const transport: Transport = async (wire, signal) => {
    opened ??= openDispatcher(options, proxies, connections)
    const dispatcher = await opened
    const exchange = new Exchange()
    try {
      const { status, headers, raw } = await exchange.run(dispatcher, options.origin, wire, signal)
      const encoding = headers['content-encoding']
      const body = encoding && encoding !== 'identity' ? await decoded(raw, encoding) : raw
      return { status, headers, body }
    } catch (error) {
      throw failure(error, exchange.maybeSent)
    }
  }
  return Object.assign(transport, {
    close: async () => {
      const ended = (await opened)?.destroy()
      connections.close()
      await ended
    },
  })
}

interface RawAnswer {
  status: number
  headers: Record<string, string>
  /** The body as it came, encoded or not. */
  raw: Uint8Array
}

/** One request and its answer, received whole. undici’s own `request` makes a stream of each, at several times the cost. */
class Exchange {
  /** undici calls `onConnect` just before it writes to the socket: until then the service has seen nothing. */
  maybeSent = false
  #status = 0
  #headers: Record<string, string> = {}
  readonly #chunks: Buffer[] = []
  #size = 0

  run(
    dispatcher: Dispatcher,
    origin: string,
    wire: WireRequest,
    signal: AbortSignal | undefined,
  ): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      let abort: (() => void) | undefined
      // A request that waits for its connection ends at once, too: it is never sent then.
      const stop = () => {
        abort?.()
        settle(reject, signal?.reason)
      }
      const settle = <T>(how: (value: T) => void, value: T) => {
        signal?.removeEventListener('abort', stop)
        how(value)
      }
      if (signal?.aborted) return reject(signal.reason)
      signal?.addEventListener('abort', stop)
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
            if (signal?.aborted) return end(signal.reason)
            this.maybeSent = true
            abort = () => end(signal?.reason)
          },
          onHeaders: (status, raw) => {
            this.#status = status
            this.#headers = readHeaders(raw)
            return true
          },
          onData: (chunk) => {
            this.#chunks.push(chunk)
            this.#size += chunk.length
            if (this.#size <= maxBodyBytes) return true
            settle(reject, tooLarge())
            abort?.()
            return false
          },
          onComplete: () =>
            settle(resolve, { status: this.#status, headers: this.#headers, raw: join(this.#chunks) }),
          onError: (error) => settle(reject, error),
        },
      )
    })
  }
}

function join(chunks: readonly Buffer[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Names and values by turns, names in any case. */
function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase()
    const value = raw[i + 1]?.toString('latin1') ?? ''
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

interface Proxies {
  httpProxy: string
  httpsProxy: string
  noProxy: string
}

/** The proxies of the environment, where one applies to the origin. Scheme and all, as curl completes them. */
function proxiesFor({ origin, env }: TransportOptions): Proxies | undefined {
  const named = (name: string) => {
    const text = env[name.toLowerCase()] || env[name] || ''
    if (text === '') return ''
    const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
    // Not quoted back: a proxy URL may hold a password.
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new UsageError(`${name} is not the URL of an HTTP proxy`, {
        hint: 'it looks like http://proxy.example.com:3128',
      })
    return url
  }
  const httpProxy = named('HTTP_PROXY')
  const httpsProxy = named('HTTPS_PROXY')
  const applies = origin.startsWith('https:') ? httpsProxy || httpProxy : httpProxy
  return applies ? { httpProxy, httpsProxy, noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '' } : undefined
}

async function openDispatcher(
  { origin, connections = 8 }: TransportOptions,
  proxies: Proxies | undefined,
  { open }: Connections,
): Promise<Dispatcher> {
  if (!proxies) return new Pool(origin, { connections, connect: open })
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js')
  // undici's index gives every dispatcher its methods; the proxy agent needs this one of them.
  const { default: Base } = await import('undici/lib/dispatcher/dispatcher.js')
  const { default: connect } = await import('undici/lib/api/api-connect.js')
  Base.prototype.connect = connect
  return new EnvHttpProxyAgent({ ...proxies, connections })
}

async function decoded(raw: Uint8Array, encoding: string): Promise<Uint8Array> {
  const zlib = await import('node:zlib')
  const decoders = new Map([
    ['gzip', zlib.gunzip],
    ['x-gzip', zlib.gunzip],
    ['deflate', zlib.inflate],
    ['br', zlib.brotliDecompress],
  ])
  const decode = decoders.get(encoding.trim().toLowerCase())
  if (!decode) throw unreadable(`its content encoding, ${encoding}, is not known`)
  return new Promise((resolve, reject) => {
    decode(raw, { maxOutputLength: maxBodyBytes }, (error, body) => {
      if (!error) resolve(body)
      else reject(errorCode(error) === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error)
    })
  })
}

function tooLarge(): ServiceError {
  return unreadable(`it is larger than ${maxBodyBytes / 1024 / 1024} MB`)
}

/** An answer came, and it is of no use. */
function unreadable(why: string): ServiceError {
  return new ServiceError(`the service’s answer cannot be read: ${why}`)
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'the connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection was closed before the answer was complete',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the connection was closed before the answer was complete',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'the certificate is self-signed; NODE_EXTRA_CA_CERTS names a file of further authorities',
  SELF_SIGNED_CERT_IN_CHAIN:
    'the certificate chain is self-signed; NODE_EXTRA_CA_CERTS names a file of further authorities',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the service does not speak TLS on this port',
  EPROTO: 'TLS cannot be agreed on',
}

/** Says why in words of ours: an error of the HTTP library may quote headers, and so the key. */
function failure(error: unknown, maybeSent: boolean): Error {
  if (error instanceof ServiceError || error instanceof DOMException) return error
  const code = errorCode(error)
  const certificate = /CERT|TLS|SSL|SIGNATURE|EPROTO/.test(code)
  const malformed = /^HPE_|^HTTPParserError$/.test(code)
  if (malformed) return unreadable('it is not HTTP')
  if (/^Z_|^ERR__ERROR_|^ERR_BROTLI|^ERR_PADDING/.test(code)) return unreadable('its compression is damaged')
  const proxy = code === 'UND_ERR_ABORTED' || code === 'UND_ERR_PRX_TLS'
  const reason =
    reasons[code] ?? (proxy ? 'the proxy refused the connection' : `the connection failed (${code})`)
  // Closed by ourselves, there is nothing to try again: a page that was asked for ahead, and is not wanted any more.
  const closed = code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED'
  return new TransportError(reason, maybeSent, !certificate && !closed)
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  if (error instanceof AggregateError) return errorCode(error.errors[0])
  return error.cause ? errorCode(error.cause) : error.name
}
