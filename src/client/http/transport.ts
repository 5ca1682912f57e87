import type { ConnectionCheck, Transport } from '../../api/wire.ts'
import { Connections } from './connections.ts'
import { HttpExchange } from './exchange.ts'
import { NodeHttp } from './node-http.ts'
import { selectProxy } from './proxy.ts'

export interface TransportOptions {
  origin: string
  /** Environment variables, including HTTPS_PROXY, HTTP_PROXY and NO_PROXY in upper or lower case. */
  env: Readonly<Record<string, string | undefined>>
  direct?: boolean
  connections?: number
  isTrusted?: ConnectionCheck | undefined
  /** Creates the library for the first requests; node:http by default. */
  createLibrary?: CreateLibrary | undefined
}

/** Library that sends requests, and calls the exchange as undici calls a handler. */
interface HttpLibrary {
  dispatch(options: HttpExchange['options'], exchange: HttpExchange): unknown
  /** True after a 100 Continue, which undici treats as an error. */
  readonly hasContinued?: boolean
}

type CreateLibrary = (origin: string, connections: Connections, most: number) => HttpLibrary

/**
 * Number of writes at which undici starts to replace node:http. undici takes half the CPU time per request.
 * Loading undici costs as much as 1,000 requests save on Node 20, and 700 on Node 24.
 */
const manyWrites = 256

/** @throws {UsageError} if the proxy URL in the environment is invalid */
export function createNetworkTransport(options: TransportOptions): Transport & { close(): Promise<void> } {
  const { origin, env, direct = false, connections: most = 8, isTrusted } = options
  const proxy = direct ? undefined : selectProxy(origin, env)
  const connections = new Connections(origin, proxy, isTrusted)
  const { createLibrary = (origin, connections) => new NodeHttp(origin, connections) } = options
  let library = createLibrary(origin, connections, most)
  let writes = 0
  const running: HttpExchange[] = []
  const waiting: HttpExchange[] = []
  const watched = new WeakSet<AbortSignal>()
  /** Number of exchanges without a complete response. Their connections may be in any state. */
  let unfinished = 0

  /** Adds one listener per signal, because one per exchange takes 10% of an exchange's time. */
  function watch(signal: AbortSignal): void {
    if (watched.has(signal)) return
    watched.add(signal)
    signal.addEventListener('abort', () => {
      for (const exchange of [...running, ...waiting]) exchange.onAbort(signal)
    })
  }

  function startNext(): void {
    while (running.length < most) {
      const exchange = waiting.shift()
      if (!exchange) return
      if (!exchange.isStopped) start(exchange)
    }
  }

  function start(exchange: HttpExchange): void {
    running.push(exchange)
    exchange.onEnd = (isFree) => {
      exchange.onEnd = () => {}
      if (isFree) unfinished--
      running.splice(running.indexOf(exchange), 1)
      // The library frees the connection after `onEnd` returns.
      queueMicrotask(startNext)
    }
    library.dispatch(exchange.options, exchange)
  }

  async function useUndici(): Promise<void> {
    const { createUndiciPool } = await import('./undici-pool.ts')
    library = createUndiciPool(origin, connections, most)
  }

  const transport: Transport = (wire, signal, cancelUnsent) => {
    if (wire.method !== 'GET' && ++writes === manyWrites && !library.hasContinued) void useUndici()
    const exchange = new HttpExchange({ origin, proxy: proxy?.name }, wire, signal, cancelUnsent)
    unfinished++
    watch(signal)
    if (cancelUnsent) watch(cancelUnsent)
    if (signal.aborted) exchange.stop(signal.reason)
    else {
      waiting.push(exchange)
      startNext()
    }
    return exchange.response
  }
  return Object.assign(transport, {
    close: async () => {
      // Idle connections do not keep the process alive, and closing them takes 2 ms.
      if (unfinished === 0) return
      // The code ABORT_ERR prevents retries.
      const closed = Object.assign(new Error('closed by this program'), { code: 'ABORT_ERR' })
      for (const exchange of [...running, ...waiting]) exchange.stop(closed)
      connections.close()
    },
  })
}
