import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from '../../helpers/certificate.ts'
import { good } from './fault.ts'

/** Single action of a server on a connection. */
export type Step = (connection: ServerConnection) => Promise<void> | void
/** Actions of a server on a connection, in order. The script repeats while the connection is open. */
export type Script = readonly Step[]

class ConnectionClosed extends Error {}

export class ServerConnection {
  #socket: Duplex
  readonly #raw: Socket
  readonly #onRequest: () => void
  readonly #knowsKey: boolean
  #received = Buffer.alloc(0)
  #isOver = false
  #changed = () => {}

  /**
   * @param onRequest called for each request to the service
   * @param knowsKey true to accept the probe of the key
   */
  constructor(socket: Socket, onRequest: () => void, knowsKey = false) {
    this.#socket = socket
    this.#raw = socket
    this.#onRequest = onRequest
    this.#knowsKey = knowsKey
    this.#listen()
  }

  /** Repeats a script until the connection is closed. */
  async run(script: Script): Promise<void> {
    try {
      while (script.length > 0) for (const step of script) await step(this)
    } catch (error) {
      if (!(error instanceof ConnectionClosed)) throw error
    }
  }

  /** Waits for an unread byte. */
  async anything(): Promise<void> {
    await this.#until(() => this.#received.length > 0)
  }

  /** Waits for the head of a request, and consumes it. */
  async head(): Promise<string> {
    for (;;) {
      await this.#until(() => this.#received.includes('\r\n\r\n'))
      const head = this.#take(this.#received.indexOf('\r\n\r\n') + 4).toString('latin1')
      // A request to a proxy is not a request to the service.
      if (!head.startsWith('CONNECT ')) this.#onRequest()
      if (!this.#knowsKey || !head.startsWith('GET /v1/rooms?limit=1 ')) return head
      await answer(200, good)(this)
    }
  }

  /** Waits for a whole request, and consumes it. */
  async request(): Promise<void> {
    const head = await this.head()
    const [, length = '0'] = /^content-length: *(\d+)/im.exec(head) ?? []
    await this.#until(() => this.#received.length >= Number(length))
    this.#take(Number(length))
  }

  /** Sends bytes with backpressure. */
  async send(bytes: string | Uint8Array): Promise<void> {
    if (this.#isOver) throw new ConnectionClosed()
    const socket = this.#socket
    if (socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)) return
    let drained = false
    socket.once('drain', () => {
      drained = true
      this.#changed()
    })
    await this.#until(() => drained)
  }

  /** Sends bytes on the TCP connection, without TLS. */
  sendRaw(bytes: Uint8Array): void {
    this.#raw.write(bytes)
  }

  end(): Promise<void> {
    this.#socket.end()
    return this.stall()
  }

  /** Closes the TCP connection without a TLS close. */
  endRaw(): Promise<void> {
    this.#raw.end()
    return this.stall()
  }

  reset(): Promise<void> {
    this.#raw.resetAndDestroy()
    return this.stall()
  }

  /** Waits until the connection is closed. */
  stall(): Promise<never> {
    return this.#until(() => false) as Promise<never>
  }

  async pause(ms: number): Promise<void> {
    let isOver = false
    const timer = setTimeout(() => {
      isOver = true
      this.#changed()
    }, ms)
    await this.#until(() => isOver).finally(() => clearTimeout(timer))
    // Lets a client in this process read, even if the event loop was blocked.
    for (let n = 0; n < 3; n++) await new Promise((resolve) => setImmediate(resolve))
  }

  async handshake(certificate: Certificate): Promise<void> {
    const secureContext = createSecureContext(certificate)
    const secure = new TLSSocket(this.#bytes(), { isServer: true, secureContext })
    this.#socket = secure
    this.#listen()
    let isSecure = false
    secure.once('secure', () => {
      isSecure = true
      this.#changed()
    })
    await this.#until(() => isSecure)
  }

  /** Returns the bytes below TLS as a stream. TLS on the socket itself would prevent `sendRaw`. */
  #bytes(): Duplex {
    const raw = this.#raw
    const bytes = new Duplex({
      read: () => {},
      write: (chunk, _encoding, done) => void raw.write(chunk, () => done()),
      final: (done) => void raw.end(done),
    })
    bytes.push(this.#take(this.#received.length))
    raw.removeAllListeners('data')
    raw.on('data', (chunk) => bytes.push(chunk))
    raw.on('end', () => bytes.push(null))
    raw.on('close', () => bytes.destroy())
    return bytes
  }

  #listen(): void {
    const over = () => {
      this.#isOver = true
      this.#changed()
    }
    this.#socket
      .on('data', (chunk: Buffer) => {
        this.#received = Buffer.concat([this.#received, chunk])
        this.#changed()
      })
      .on('error', over)
      .on('close', over)
  }

  #take(length: number): Buffer {
    const taken = this.#received.subarray(0, length)
    this.#received = this.#received.subarray(length)
    return taken
  }

  /** @throws {ConnectionClosed} if the connection closes before `holds` returns true */
  async #until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.#isOver) throw new ConnectionClosed()
      await new Promise<void>((resolve) => {
        this.#changed = resolve
      })
    }
  }
}

export const request: Step = (connection) => connection.request()
export const head: Step = async (connection) => void (await connection.head())
export const anything: Step = (connection) => connection.anything()
export const end: Step = (connection) => connection.end()
export const endRaw: Step = (connection) => connection.endRaw()
export const reset: Step = (connection) => connection.reset()
export const stall: Step = (connection) => connection.stall()
export const send =
  (...parts: readonly (string | Uint8Array)[]): Step =>
  async (connection) => {
    for (const part of parts) await connection.send(part)
  }
export const sendRaw =
  (bytes: Uint8Array): Step =>
  (connection) =>
    connection.sendRaw(bytes)
/** Sends the same bytes repeatedly, by default without end. */
export const repeat =
  (part: string | Uint8Array, times = Number.POSITIVE_INFINITY): Step =>
  async (connection) => {
    const bytes = typeof part === 'string' ? Buffer.from(part, 'latin1') : part
    for (let n = 0; n < times; n++) {
      await connection.send(bytes)
      // Lets the client in this process read.
      if (n % 64 === 63) await new Promise((resolve) => setImmediate(resolve))
    }
  }
/** Sends a text in pieces of `size` characters, with pauses of `everyMs` milliseconds. */
export const drip =
  (text: string, size: number, everyMs: number): Step =>
  async (connection) => {
    for (let at = 0; at < text.length; at += size) {
      await connection.send(text.slice(at, at + size))
      await connection.pause(everyMs)
    }
  }
export const handshake =
  (certificate: Certificate): Step =>
  (connection) =>
    connection.handshake(certificate)

/** Sends an HTTP response with the correct length of its body. */
export function answer(
  status: number,
  body: string | Uint8Array = '',
  headers: Record<string, string> = {},
): Step {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const lines = Object.entries({
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return send(`HTTP/1.1 ${status} Whatever\r\n${lines.join('')}\r\n`, bytes)
}
