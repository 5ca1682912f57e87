import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { type Frame, toFrame } from './frame.ts'
import type { Ending, Peer } from './live.ts'

/** More than this unsent, in bytes, and the peer does not read: several of the largest messages. */
const maxBufferedBytes = 64 * 1024 * 1024

/**
 * A WebSocket that may not be open yet: what is sent to it before then waits. It is a session’s way to its peer itself, as
 * each step in between is felt where thousands are told something.
 */
export class Connection implements Peer {
  #webSocket: WebSocket | undefined
  /** The one below. */
  #socket: Duplex | undefined
  #waiting: Frame[] = []
  #ending: Ending | undefined

  get attached(): boolean {
    return this.#webSocket !== undefined
  }

  attach(webSocket: WebSocket, socket: Duplex, greeting: object): void {
    this.#webSocket = webSocket
    this.#socket = socket
    for (const frame of [toFrame(greeting), ...this.#waiting]) this.send(frame)
    this.#waiting = []
    if (this.#ending) webSocket.close(...this.#ending)
  }

  /**
   * Sends a frame as it is. Without compression `ws` writes each frame to the socket at once and keeps nothing back, so
   * frames from here and from there go out in order.
   */
  send(frame: Frame): void {
    const webSocket = this.#webSocket
    const socket = this.#socket
    if (!webSocket || !socket) this.#waiting.push(frame)
    else if (webSocket.readyState !== webSocket.OPEN) return
    // A peer that does not read must not fill our memory.
    else if (socket.writableLength > maxBufferedBytes) webSocket.terminate()
    else socket.write(frame)
  }

  close(ending: Ending): void {
    this.#ending = ending
    this.#webSocket?.close(...ending)
  }
}
