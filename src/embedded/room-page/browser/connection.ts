import { ReconnectPauses } from '../../../api/backoff.ts'
import type { Frame } from './frames.ts'
import { toProtocol } from './token.ts'

export interface End {
  code: number
  reason: string
}

interface Handlers {
  onFrame(frame: Frame): void
  onLost(retryInMs: number): void
  onConnecting(): void
  /** Called after a close code in `finalCodes`. */
  onEnd(end: End): void
}

/** Close codes after which the page does not reconnect automatically. */
const finalCodes = new Set([4001, 4002, 4003, 4004, 4400])

const pauseLimits = { baseMs: 500, maxMs: 15_000 }

/** Silence after which the connection counts as lost, in milliseconds. */
const silenceMs = 17_000

export class Connection {
  readonly #url: string
  readonly #token: string | undefined
  readonly #handlers: Handlers
  #socket: WebSocket | undefined
  readonly #pauses = new ReconnectPauses(Math.random, pauseLimits)
  /** Value of `performance.now()` at the first frame since the last loss, in milliseconds. */
  #joinedAt: number | undefined
  #timer: number | undefined

  constructor(url: string, token: string | undefined, handlers: Handlers) {
    this.#url = url
    this.#token = token
    this.#handlers = handlers
    addEventListener('online', () => this.retryNow())
    addEventListener('offline', () => this.#lose())
  }

  open(): void {
    clearTimeout(this.#timer)
    const protocols = ['meetroom.room', ...(this.#token === undefined ? [] : [toProtocol(this.#token)])]
    const socket = new WebSocket(this.#url, protocols)
    this.#socket = socket
    this.#handlers.onConnecting()
    this.#expectFrame()
    socket.onmessage = ({ data }) => {
      if (socket !== this.#socket) return
      this.#joinedAt ??= performance.now()
      this.#expectFrame()
      this.#handlers.onFrame(JSON.parse(String(data)) as Frame)
    }
    socket.onclose = ({ code, reason }) => {
      if (socket !== this.#socket) return
      if (!finalCodes.has(code)) {
        this.#lose()
        return
      }
      clearTimeout(this.#timer)
      this.#timer = undefined
      this.#socket = undefined
      this.#joinedAt = undefined
      this.#handlers.onEnd({ code, reason })
    }
  }

  /** Connects immediately if an attempt is scheduled. */
  retryNow(): void {
    const isWaiting = this.#socket === undefined && this.#timer !== undefined
    if (isWaiting) this.open()
  }

  #expectFrame(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#lose(), silenceMs)
  }

  #lose(): void {
    const socket = this.#socket
    if (!socket) return
    this.#socket = undefined
    socket.close()
    const now = performance.now()
    const pauseMs = this.#pauses.next(now - (this.#joinedAt ?? now))
    this.#joinedAt = undefined
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.open(), pauseMs)
    this.#handlers.onLost(pauseMs)
  }
}
