import type { ConnectionCheck, Transport } from '../../api/wire.ts'
import { Connections } from './connections.ts'
import { HttpExchange } from './exchange.ts'
import { ConnectionPool } from './pool.ts'
import { selectProxy } from './proxy.ts'

export interface TransportOptions {
  origin: string
  /** Environment variables. HTTPS_PROXY, HTTP_PROXY and NO_PROXY are used, in upper or lower case. */
  env: Readonly<Record<string, string | undefined>>
  direct?: boolean
  connections?: number
  isTrusted?: ConnectionCheck | undefined
}

/** @throws {UsageError} when the proxy URL in the environment is invalid */
export function createNetworkTransport(options: TransportOptions): Transport & { close(): Promise<void> } {
  const { origin, env, direct = false, connections: most = 8, isTrusted } = options
  const proxy = direct ? undefined : selectProxy(origin, env)
  const connections = new Connections(proxy, isTrusted)
  const clients = new ConnectionPool(origin, connections, most)
  const transport: Transport = (wire, signal, cancelUnsent) => {
    const exchange = new HttpExchange({ origin, proxy: proxy?.name }, wire, signal, cancelUnsent)
    clients.send(exchange)
    return exchange.response
  }
  return Object.assign(transport, {
    close: async () => {
      // Idle connections do not keep the process alive, and closing them takes 2 ms.
      if (clients.areIdle) return
      const ended = clients.destroy()
      connections.close()
      await ended
    },
  })
}
