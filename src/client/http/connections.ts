import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import buildConnector, { type Callback, type Target } from 'undici/lib/core/connect.js'
import { createNotServedError, resetCode } from '../../api/connection-failure.ts'
import type { ConnectionCheck } from '../../api/wire.ts'
import type { HttpProxy } from './proxy.ts'

/** Timeout in milliseconds for opening a tunnel, and again for opening a connection, including TLS. */
const connectMs = 10_000

/** Connector that replaces undici's timer and proxy agent. The timer outlives requests; the agent reconnects in a loop. */
export class Connections {
  readonly #proxy: HttpProxy | undefined
  readonly #isTrusted: ConnectionCheck | undefined
  readonly #dial = buildConnector({ timeout: 0 })
  readonly #sockets = new Set<Socket>()
  readonly #closing = new AbortController()

  constructor(proxy: HttpProxy | undefined, isTrusted: ConnectionCheck | undefined) {
    this.#proxy = proxy
    this.#isTrusted = isTrusted
    // Every tunnel adds a listener, and Node warns about more than ten.
    if (proxy) setMaxListeners(0, this.#closing.signal)
  }

  readonly open = (target: Target, callback: Callback): void => {
    const done: Callback = (...outcome) => {
      const [, socket] = outcome
      socket?.on('error', (error) => {
        markReset(error)
        // Node keeps the socket open after a TLS error, and the request would wait until its timeout.
        socket.destroy()
      })
      if (socket && this.#isTrusted) void verify(socket, this.#isTrusted, callback)
      else callback(...outcome)
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

  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  #open(target: Target, callback: Callback): void {
    const socket = this.#dial(target, (...outcome) => {
      clearTimeout(timer)
      callback(...outcome)
    })
    const timer = setTimeout(() => socket.destroy(createTimeoutError()), connectMs)
    // A set is faster than passing a signal to each socket.
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

async function verify(socket: Socket, isTrusted: ConnectionCheck, callback: Callback): Promise<void> {
  const trusted = await isTrusted()
  if (trusted && !socket.destroyed) return callback(null, socket)
  socket.destroy()
  const reset = Object.assign(new Error('closed while it was verified'), { code: resetCode })
  callback(trusted ? reset : createNotServedError(), null)
}

function markReset(error: NodeJS.ErrnoException): void {
  if (error.code === 'ECONNRESET') error.code = resetCode
}

function createTimeoutError(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
}
