import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import request from 'undici/lib/api/api-request.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { ServiceError, UsageError } from '../errors.ts'
import { maxBodyBytes, type Transport, TransportError } from './wire.ts'

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
  let opened: Promise<Dispatcher> | undefined
  const transport: Transport = async (wire, signal) => {
    opened ??= openDispatcher(options, proxies)
    const dispatcher = await opened
    const url = new URL(wire.url)
    let maybeSent = false
    // undici calls onConnect just before it writes to the socket: until then the service has seen nothing.
    const watched = {
      dispatch(opts: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler) {
        const onConnect = handler.onConnect?.bind(handler)
        handler.onConnect = (abort) => {
          maybeSent = true
          onConnect?.(abort)
        }
        return dispatcher.dispatch(opts, handler)
      },
    }
    try {
      const answer = await request.call(watched, {
        origin: options.origin,
        path: url.pathname + url.search,
        method: wire.method as Dispatcher.HttpMethod,
        headers: wire.headers,
        body: wire.body ?? null,
        signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      })
      const headers = Object.fromEntries(
        Object.entries(answer.headers).map(([name, value]) => [
          name,
          Array.isArray(value) ? value.join(', ') : (value ?? ''),
        ]),
      )
      const body = await readBody(answer.body, headers['content-encoding'])
      return { status: answer.statusCode, headers, body }
    } catch (error) {
      throw failure(error, maybeSent)
    }
  }
  return Object.assign(transport, {
    close: async () => {
      if (opened) await (await opened).destroy()
    },
  })
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
): Promise<Dispatcher> {
  if (!proxies) return new Pool(origin, { connections })
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js')
  // undici's index gives every dispatcher its methods; the proxy agent needs this one of them.
  const { default: Base } = await import('undici/lib/dispatcher/dispatcher.js')
  const { default: connect } = await import('undici/lib/api/api-connect.js')
  Base.prototype.connect = connect
  return new EnvHttpProxyAgent({ ...proxies, connections })
}

async function readBody(raw: Readable, encoding: string | undefined): Promise<Uint8Array> {
  const stream = encoding && encoding !== 'identity' ? await decoded(raw, encoding) : raw
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > maxBodyBytes) throw unreadable(`it is larger than ${maxBodyBytes / 1024 / 1024} MB`)
    chunks.push(chunk)
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

async function decoded(raw: Readable, encoding: string): Promise<Readable> {
  const zlib = await import('node:zlib')
  const { pipeline } = await import('node:stream')
  const decoders = new Map<string, () => NodeJS.ReadWriteStream>([
    ['gzip', () => zlib.createGunzip()],
    ['x-gzip', () => zlib.createGunzip()],
    ['deflate', () => zlib.createInflate()],
    ['br', () => zlib.createBrotliDecompress()],
  ])
  const decoder = decoders.get(encoding.trim().toLowerCase())?.()
  if (!decoder) throw unreadable(`its content encoding, ${encoding}, is not known`)
  // The callback keeps a failure from being unhandled; the reader of the decoder sees it too.
  return pipeline(raw, decoder, () => {}) as unknown as Readable
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
  return new TransportError(reason, maybeSent, !certificate)
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  if (error instanceof AggregateError) return errorCode(error.errors[0])
  return error.cause ? errorCode(error.cause) : error.name
}
