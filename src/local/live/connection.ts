import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { type Frame, toFrame } from './frame.ts'
import type { Ending } from './live.ts'

/** More than this unsent, in bytes, and the peer does not read: several of the largest messages. */
const maxBufferedBytes = 64 * 1024 * 1024

/** A WebSocket and the socket below it. */
interface Attached {
  webSocket: WebSocket
  socket: Duplex
}

/** A WebSocket that may not be open yet: what is sent to it before then waits. */
export class Connection {
  #attached: Attached | undefined
  #waiting: Frame[] = []
  #ending: Ending | undefined

  /** How the hub reaches the peer of a session. */
  readonly ends = {
    send: (frame: Frame) => {
      if (this.#attached) sendFrame(this.#attached, frame)
      else this.#waiting.push(frame)
    },
    close: (ending: Ending) => {
      this.#ending = ending
      this.#attached?.webSocket.close(...ending)
    },
  }

  get attached(): boolean {
    return this.#attached !== undefined
  }

  attach(webSocket: WebSocket, socket: Duplex, greeting: object): void {
    this.#attached = { webSocket, socket }
    for (const frame of [toFrame(greeting), ...this.#waiting]) sendFrame(this.#attached, frame)
    this.#waiting = []
    if (this.#ending) webSocket.close(...this.#ending)
  }
}

/**
 * Sends a frame as it is. Without compression `ws` writes each frame to the socket at once and keeps nothing back, so
 * frames from here and from there go out in order.
 */
function sendFrame({ webSocket, socket }: Attached, frame: Frame): void {
  if (webSocket.readyState !== webSocket.OPEN) return
  // A peer that does not read must not fill our memory.
  if (socket.writableLength > maxBufferedBytes) webSocket.terminate()
  else socket.write(frame)
}
