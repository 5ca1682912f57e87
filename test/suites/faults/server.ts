import { createServer as createProxy } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { open } from '../../helpers/listen.ts'
import { openFullPort } from '../../helpers/stall.ts'
import type { Fault } from './fault.ts'
import { ServerConnection } from './script.ts'

export interface FaultyServer {
  port: number
  seen: { requests: number; connections: number }
  close(): Promise<void> | void
}

export async function startFaulty(fault: Fault): Promise<FaultyServer> {
  const seen = { requests: 0, connections: 0 }
  if (fault.over === 'full port') return { ...(await openFullPort()), seen }
  const server = createServer({ noDelay: true }, (socket) => {
    const first = seen.connections++ === 0
    const connection = new ServerConnection(socket, () => seen.requests++, fault.knowsKey)
    void connection.run((first && fault.first) || fault.does)
  })
  const { port, close } = await open(server)
  if (fault.over?.startsWith('closed')) await close()
  return { port, seen, close }
}

/** Starts a proxy whose tunnels all lead to one port, and end with the connection to that port. */
export async function startTunnel(to: number): Promise<Pick<FaultyServer, 'port' | 'close'>> {
  const proxy = createProxy()
  proxy.on('connect', (_request, socket: Socket) => {
    const behind = connect({ port: to, host: '127.0.0.1', noDelay: true }, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(behind).pipe(socket)
    })
    behind.on('error', () => socket.resetAndDestroy())
    socket.on('error', () => {}).on('close', () => behind.destroy())
  })
  return open(proxy)
}
