import { readFileSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'

/** Whoever takes longer to send a request is cut. */
export const limits = {
  requestTimeout: 30_000,
  headersTimeout: 5000,
  connectionsCheckingInterval: 1000,
  keepAliveTimeout: 65_000,
  maxHeaderSize: 16 * 1024,
}

export type Patience = Pick<
  typeof limits,
  'requestTimeout' | 'headersTimeout' | 'connectionsCheckingInterval'
>

/**
 * Bounds the connections of a server: all together by the handles that the process has, and those of each address that
 * have not sent complete headers yet. Beyond that bound the oldest of them is cut, so that whoever opens connections
 * and says nothing keeps nobody out, not even others at the same address.
 * @param most maximum number of connections
 * @returns to be told of each request to upgrade. A listener of our own would make Node leave their answer to us.
 */
export function limitConnections(server: Server, most = defaultMost()): (socket: Socket) => void {
  server.maxConnections = most
  // Refused now, and welcome at the next attempt.
  server.on('drop', () => server.closeIdleConnections())

  // Half of all: when a service is back, a whole school may connect again at the same moment, from one address.
  const mostSilent = Math.max(16, Math.floor(most / 2))
  /** The connections without complete headers, by address and oldest first. */
  const silent = new Map<string, Set<Socket>>()
  const addresses = new WeakMap<Socket, string>()
  const known = new WeakSet<Socket>()
  const heard = (socket: Socket) => {
    const address = addresses.get(socket)
    if (address === undefined) return
    addresses.delete(socket)
    const sockets = silent.get(address)
    sockets?.delete(socket)
    if (sockets?.size === 0) silent.delete(address)
  }
  server.on('connection', (socket: Socket) => {
    // A request to upgrade that was declined is read again, as if its connection were new.
    if (known.has(socket)) return
    known.add(socket)
    const address = socket.remoteAddress ?? ''
    const sockets = (silent.get(address) ?? new Set()).add(socket)
    silent.set(address, sockets)
    addresses.set(socket, address)
    socket.once('close', () => heard(socket))
    const [oldest] = sockets
    if (sockets.size > mostSilent) oldest?.destroy()
  })
  server.on('request', (request: IncomingMessage) => heard(request.socket))
  return heard
}

/** Leaves a quarter of the handles to files, webhooks and whatever else. */
function defaultMost(): number {
  return Math.floor(handleLimit() * 0.75)
}

/** How many handles the process may have open. Other systems than Linux do not say; macOS allows this many. */
function handleLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return Number(limit ?? 100_000)
  } catch {
    return 10_240
  }
}
