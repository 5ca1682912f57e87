import { createServer, type Socket } from 'node:net'
import { openFullPort } from '../../helpers/stall.ts'
import type { Fault } from './fault.ts'
import { Line } from './script.ts'

/** A server with a fault. */
export interface FaultyServer {
  port: number
  /** What it has seen so far. */
  seen: { requests: number; connections: number }
  close(): Promise<void> | void
}

/** Starts a server that fails as described, on a free port of this machine. */
export async function startFaulty(fault: Fault): Promise<FaultyServer> {
  const seen = { requests: 0, connections: 0 }
  if (fault.over === 'full port') return { ...(await openFullPort()), seen }
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    const first = seen.connections++ === 0
    const line = new Line(socket, () => seen.requests++, fault.knowsKey)
    void line.run((first && fault.first) || fault.does)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as { port: number }
  const close = () =>
    new Promise<void>((closed) => {
      for (const socket of sockets) socket.destroy()
      server.close(() => closed())
    })
  if (fault.over?.startsWith('closed')) await close()
  return { port, seen, close }
}
