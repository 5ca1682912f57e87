import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum memory of all connections and unanswered requests, in bytes. */
const maxBytes = 48 * 1024 * 1024
/** Memory of a connection, and of a request besides its text, in bytes. */
const connectionBytes = 4 * 1024
const requestBytes = 4 * 1024

/** Limits what all clients without a key hold together: beyond it, their oldest connection is closed. */
export class UnknownClients {
  /** Held bytes by connection, the oldest connection first. */
  readonly #held = new Map<Socket, number>()
  #total = 0

  add(socket: Socket): void {
    this.#held.set(socket, 0)
    this.change(socket, connectionBytes)
    socket.once('close', () => this.remove(socket))
  }

  /** Changes the number of bytes that a connection holds, unless its client is known. */
  change(socket: Socket, bytes: number): void {
    const held = this.#held.get(socket)
    if (held === undefined) return
    this.#held.set(socket, held + bytes)
    this.#total += bytes
    for (const [oldest] of this.#held) {
      if (this.#total <= maxBytes) return
      this.remove(oldest)
      oldest.destroy()
    }
  }

  remove(socket: Socket): void {
    this.#total -= this.#held.get(socket) ?? 0
    this.#held.delete(socket)
  }
}

export function measureRequest({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, requestBytes + url.length)
}
