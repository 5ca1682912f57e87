import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'
import buildConnector, { type Callback, type Target } from 'undici/lib/core/connect.js'

/** Maximum time for a connection to be there, TLS included, in milliseconds. */
const connectMs = 10_000

/** Opens the connections of a transport. undici’s own timer for that would keep the program running after its end. */
export class Connections {
  readonly #closing = new AbortController()
  readonly #dial

  constructor() {
    // Every connection listens, and Node takes more than ten listeners for a leak.
    setMaxListeners(0, this.#closing.signal)
    this.#dial = buildConnector({ timeout: 0, signal: this.#closing.signal })
  }

  /** Opens one, for undici. */
  readonly open = (target: Target, callback: Callback): void => {
    const socket: Socket = this.#dial(target, (...outcome) => {
      clearTimeout(timer)
      callback(...outcome)
    })
    const timer = setTimeout(() => socket.destroy(timedOut()), connectMs)
  }

  /** Ends all there are, and those that are under way. */
  close(): void {
    this.#closing.abort()
  }
}

function timedOut(): Error {
  return Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })
}
