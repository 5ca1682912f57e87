import type { WebSocket } from 'ws'
import type { Ending } from './live.ts'

/** More than this unsent, in bytes, and the peer does not read: several of the largest messages. */
const maxBufferedBytes = 64 * 1024 * 1024

/** A WebSocket that may not be open yet: what is sent to it before then waits. */
export class Connection {
  #webSocket: WebSocket | undefined
  #waiting: object[] = []
  #ending: Ending | undefined

  /** How the hub reaches the peer of a session. */
  readonly ends = {
    send: (frame: object) => {
      if (this.#webSocket) sendFrame(this.#webSocket, frame)
      else this.#waiting.push(frame)
    },
    close: (ending: Ending) => {
      this.#ending = ending
      this.#webSocket?.close(...ending)
    },
  }

  get attached(): boolean {
    return this.#webSocket !== undefined
  }

  attach(webSocket: WebSocket, greeting: object): void {
    this.#webSocket = webSocket
    for (const frame of [greeting, ...this.#waiting]) sendFrame(webSocket, frame)
    if (this.#ending) webSocket.close(...this.#ending)
  }
}

function sendFrame(webSocket: WebSocket, frame: object): void {
  // A peer that does not read must not fill our memory.
  if (webSocket.bufferedAmount > maxBufferedBytes) webSocket.terminate()
  else webSocket.send(JSON.stringify(frame), () => {})
}
