import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Backlog } from './backlog.ts'
import { type Frame, toFrame } from './frame.ts'
import type { CloseReason, Peer } from './session-control.ts'

/** Number of unsent bytes above which a peer is disconnected. */
const maxBufferedBytes = 16 * 1024 * 1024

/** WebSocket connection that queues frames until it is open. */
export class Connection implements Peer {
  readonly #backlog: Backlog
  #webSocket: WebSocket | undefined
  #socket: Duplex | undefined
  #waiting: Frame[] = []
  #ending: CloseReason | undefined

  constructor(backlog: Backlog) {
    this.#backlog = backlog
  }

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

  /** Bypasses `ws`, which buffers nothing without compression, so frames stay in order. */
  send(frame: Frame): void {
    const webSocket = this.#webSocket
    const socket = this.#socket
    if (!webSocket || !socket) this.#waiting.push(frame)
    else if (webSocket.readyState !== webSocket.OPEN) return
    else if (socket.writableLength > maxBufferedBytes) webSocket.terminate()
    else this.#backlog.write(socket, frame)
  }

  close(closeReason: CloseReason): void {
    this.#ending = closeReason
    this.#webSocket?.close(...closeReason)
  }
}
