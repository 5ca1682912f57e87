import { isLoopback } from '../../src/api/loopback.ts'
import type { Connect } from '../../src/cli/requests/running-command.ts'
import { createNetworkTransport } from '../../src/client/http/transport.ts'
import { createUndiciPool } from '../../src/client/http/undici-pool.ts'

/** Connects to a service with undici from the first request. */
export const connectByUndici: Connect = async (baseUrl, { env }, connections = 8, isTrusted) => {
  const { origin, hostname } = new URL(baseUrl)
  const direct = isLoopback(hostname)
  const createLibrary = createUndiciPool
  return createNetworkTransport({ origin, env, direct, connections, isTrusted, createLibrary })
}
