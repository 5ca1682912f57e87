import type { Transport } from '../../api/wire.ts'
import { Connections } from './connections.ts'
import { HttpExchange } from './exchange.ts'
import { ConnectionPool } from './pool.ts'
import { proxyFor } from './proxy.ts'

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
  const clients = new ConnectionPool(origin, connections, most)
  const transport: Transport = (wire, signal, withdrawn) => {
    const exchange = new HttpExchange({ origin, proxy: proxy?.name }, wire, signal, withdrawn)
    clients.send(exchange)
    return exchange.answer
  }
  return Object.assign(transport, {
    close: async () => {
      // Idle connections keep nothing running and end with the process: closing them would take 2 ms of every command.
      if (clients.areIdle) return
      const ended = clients.destroy()
      connections.close()
      await ended
    },
  })
}
