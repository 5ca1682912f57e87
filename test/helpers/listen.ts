import type { AddressInfo, Server, Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** Starts a server on a free port. `close` also ends its connections. */
export async function open(
  server: Server,
  host = '127.0.0.1',
): Promise<{ port: number; close: () => Promise<void> }> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket.on('error', () => {}))
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed())
      for (const socket of sockets) socket.destroy()
    })
  return { port, close }
}

/** Starts a server on a free port until the end of the test. Returns the port. */
export async function listen(server: Server, host?: string): Promise<number> {
  const { port, close } = await open(server, host)
  onTestFinished(close)
  return port
}
