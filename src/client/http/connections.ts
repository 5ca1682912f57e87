import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import buildConnector, { type Callback, type Target } from 'undici/lib/core/connect.js'
import { resetCode } from './failure.ts'
import type { HttpProxy } from './proxy.ts'

/** Maximum time for a connection, TLS included, in milliseconds; the way through a proxy has as much before. */
const connectMs = 10_000

/**
 * Opens the connections of a transport. With undici’s own timer the program would outlive its work, and with
 * its own proxy agent it would connect again and again, without pause, to a proxy that hangs up.
 */
export class Connections {
  readonly #proxy: HttpProxy | undefined
  readonly #dial = buildConnector({ timeout: 0 })
  /** Open or opening. */
  readonly #sockets = new Set<Socket>()
  /** Ends tunnels, open or opening. */
  readonly #closing = new AbortController()

  constructor(proxy: HttpProxy | undefined) {
    this.#proxy = proxy
    // Every tunnel listens, and Node takes more than ten listeners for a leak.
    if (proxy) setMaxListeners(0, this.#closing.signal)
  }

  /** Opens one, for undici. */
  readonly open = (target: Target, callback: Callback): void => {
    const done: Callback = (...outcome) => {
      const [, socket] = outcome
      socket?.on('error', (error) => {
        tellReset(error)
        // After an error of TLS, Node leaves the socket open, and the request would wait for the deadline.
        socket.destroy()
      })
      callback(...outcome)
    }
    if (!this.#proxy) this.#open(target, done)
    else
      this.#tunnel(this.#proxy, target).then(
        (socket) => {
          if (target.protocol === 'https:') this.#open({ ...target, httpSocket: socket }, done)
          else done(null, socket)
        },
        (error) => done(error, null),
      )
  }

  /** Closes all connections, open or opening. */
  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  #open(target: Target, callback: Callback): void {
    const socket = this.#dial(target, (...outcome) => {
      clearTimeout(timer)
      callback(...outcome)
    })
    const timer = setTimeout(() => socket.destroy(timedOut()), connectMs)
    // A signal would do the same, and take longer than the rest of this.
    this.#sockets.add(socket)
    socket.once('close', () => {
      clearTimeout(timer)
      this.#sockets.delete(socket)
    })
  }

  async #tunnel(proxy: HttpProxy, { host, hostname, port, protocol }: Target): Promise<Socket> {
    const { openTunnel } = await import('./tunnel.ts')
    const to = port ? `${host}` : `${host ?? hostname}:${protocol === 'https:' ? 443 : 80}`
    return openTunnel(proxy, to, connectMs, this.#closing.signal)
  }
}

/** Runs before undici’s own listener. */
function tellReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = resetCode
}

function timedOut(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
}
