import type { Socket } from 'node:net'
import { Pool } from 'undici'
import type { Connections } from './connections.ts'

export function createUndiciPool(origin: string, connections: Connections, most: number): Pool {
  return new Pool(origin, {
    connections: most,
    connect: (_target, callback) =>
      void openSilent(connections).then(
        (socket) => callback(null, socket),
        (error) => callback(error, null),
      ),
  })
}

/** Refuses a connection with data before the first request, because undici would reconnect endlessly. */
async function openSilent(connections: Connections): Promise<Socket> {
  const socket = await connections.open()
  if (socket.readableLength === 0) return socket
  socket.destroy()
  throw Object.assign(new Error('data before a request'), { code: 'HPE_EARLY' })
}
