import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { readText } from '../../files/read-file.ts'
import { maxHeaders } from './framing.ts'

/** Limits of Node's HTTP server, in milliseconds and bytes. */
export const limits = {
  requestTimeout: 30_000,
  headersTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
}

/**
 * Limits the connections of a server, and the connections without complete headers per IP address.
 * @returns a function to call when the headers of a connection are complete
 */
export function limitConnections(
  server: Server,
  // Reserves a quarter of the file handles for files and webhooks.
  max = Math.floor(handleLimit() * 0.75),
): (socket: Socket) => void {
  server.maxConnections = max
  // Node drops headers above this number, so `refuseFraming` refuses a request that reaches it.
  server.maxHeadersCount = maxHeaders
  server.on('drop', () => server.closeIdleConnections())

  // Large, because a whole school may reconnect from one IP address after an outage.
  const maxSilent = Math.max(16, Math.floor(max / 2))
  const silent = new Map<string, Set<Socket>>()
  const addresses = new WeakMap<Socket, string>()
  const markComplete = (socket: Socket) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    addresses.delete(socket)
    const sockets = silent.get(address)
    sockets?.delete(socket)
    if (sockets?.size === 0) silent.delete(address)
  }
  server.on('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    const sockets = (silent.get(address) ?? new Set()).add(socket)
    silent.set(address, sockets)
    addresses.set(socket, address)
    socket.once('close', () => markComplete(socket))
    const [oldest] = sockets
    if (sockets.size > maxSilent) oldest?.destroy()
  })
  return markComplete
}

/** Reads the limit from Linux; 100,000 if unlimited. Other systems get the limit of macOS. */
function handleLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readText('/proc/self/limits')) ?? []
    return Number(limit ?? 100_000)
  } catch {
    return 10_240
  }
}
