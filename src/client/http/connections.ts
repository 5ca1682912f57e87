import { setMaxListeners } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import { createClosedError, createNotServedError, resetCode } from '../../api/connection-failure.ts'
import type { ConnectionCheck } from '../../api/wire.ts'
import type { HttpProxy } from './proxy.ts'

/** Timeout for opening a tunnel, and for opening a connection including TLS, in milliseconds. */
const connectMs = 10_000

/** Connections to one origin for both HTTP libraries, whose own timers and proxy agents differ. */
export class Connections {
  readonly #host: string
  readonly #port: number
  readonly #isSecure: boolean
  readonly #proxy: HttpProxy | undefined
  readonly #isTrusted: ConnectionCheck | undefined
  readonly #sockets = new Set<Socket>()
  readonly #closing = new AbortController()
  #session: Buffer | undefined

  constructor(origin: string, proxy: HttpProxy | undefined, isTrusted: ConnectionCheck | undefined) {
    const { hostname, port, protocol } = new URL(origin)
    this.#isSecure = protocol === 'https:'
    this.#host = hostname.replace(/^\[|\]$/g, '')
    this.#port = Number(port || (this.#isSecure ? 443 : 80))
    this.#proxy = proxy
    this.#isTrusted = isTrusted
    // Every tunnel adds a listener, and Node warns about more than ten.
    if (proxy) setMaxListeners(0, this.#closing.signal)
  }

  /**
   * Opens a connection, through the proxy if there is one, and applies the connection check.
   * @throws {TransportError} if the proxy fails, otherwise an error with a `code`
   */
  async open(): Promise<Socket> {
    const tunnel = this.#proxy && (await this.#tunnel(this.#proxy))
    const socket = await this.#connect(tunnel)
    if (!this.#isTrusted) return socket
    const trusted = await this.#isTrusted()
    if (trusted && !socket.destroyed) return socket
    socket.destroy()
    throw trusted ? createClosedError() : createNotServedError()
  }

  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.destroy()
  }

  async #connect(tunnel: Socket | undefined): Promise<Socket> {
    const socket = this.#isSecure
      ? await this.#secure(tunnel)
      : (tunnel ?? connect({ host: this.#host, port: this.#port, noDelay: true }))
    // A set is faster than passing a signal to each socket.
    this.#sockets.add(socket)
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(createTimeoutError()), connectMs)
      socket
        .on('error', (error: NodeJS.ErrnoException) => {
          if (error.code === 'ECONNRESET') error.code = resetCode
          reject(error)
          // Node keeps the socket open after a TLS error.
          socket.destroy()
        })
        .once('close', () => {
          clearTimeout(timer)
          this.#sockets.delete(socket)
          reject(createClosedError())
        })
      const done = () => {
        clearTimeout(timer)
        resolve(socket)
      }
      if (socket === tunnel) done()
      else socket.once(this.#isSecure ? 'secureConnect' : 'connect', done)
    })
  }

  async #secure(tunnel: Socket | undefined): Promise<Socket> {
    const { connect: secure } = await import('node:tls')
    const options: ConnectionOptions = {
      ...(tunnel ? { socket: tunnel } : { port: this.#port }),
      host: this.#host,
      ...(isIP(this.#host) ? {} : { servername: this.#host }),
      ...(this.#session && { session: this.#session }),
      ALPNProtocols: ['http/1.1'],
    }
    return secure(options)
      .setNoDelay(true)
      .on('session', (session) => {
        this.#session = session
      })
  }

  async #tunnel(proxy: HttpProxy): Promise<Socket> {
    const { openTunnel } = await import('./tunnel.ts')
    const host = isIP(this.#host) === 6 ? `[${this.#host}]` : this.#host
    return openTunnel(proxy, `${host}:${this.#port}`, connectMs, this.#closing.signal)
  }
}

const createTimeoutError = () => Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
