import Client from 'undici/lib/dispatcher/client.js'
import type { Connections } from './connections.ts'
import type { HttpExchange } from './exchange.ts'

interface Lane {
  readonly client: Client
  exchange: HttpExchange | undefined
}

/** Connection pool. It replaces undici's pool, which searches all its connections for each request. */
export class ConnectionPool {
  readonly #make: () => Client
  readonly #most: number
  readonly #all: Lane[] = []
  /** Lanes (connections) without an exchange, the most recently used one last. */
  readonly #free: Lane[] = []
  readonly #waiting: HttpExchange[] = []
  readonly #watched = new WeakSet<AbortSignal>()
  /** Number of exchanges that are running or have failed. Their connections may be in any state. */
  #unanswered = 0

  constructor(origin: string, connections: Connections, most: number) {
    this.#make = () => new Client(origin, { connect: connections.open })
    this.#most = most
  }

  get areIdle(): boolean {
    return this.#unanswered === 0
  }

  send(exchange: HttpExchange): void {
    const { signal, cancelUnsent } = exchange
    this.#unanswered++
    this.#watch(signal)
    if (cancelUnsent) this.#watch(cancelUnsent)
    if (signal.aborted) exchange.stop(signal.reason)
    else this.#begin(exchange)
  }

  async destroy(): Promise<void> {
    await Promise.all(this.#all.map(({ client }) => client.destroy()))
  }

  #begin(exchange: HttpExchange): void {
    const lane = this.#free.pop() ?? (this.#all.length < this.#most ? this.#add() : undefined)
    if (lane) this.#start(lane, exchange)
    else this.#waiting.push(exchange)
  }

  /** Aborts the exchanges of a signal. Searches them all, because long-lived sets per signal leak memory in V8. */
  #watch(signal: AbortSignal): void {
    if (this.#watched.has(signal)) return
    this.#watched.add(signal)
    signal.addEventListener('abort', () => {
      for (const exchange of [...this.#all.map((lane) => lane.exchange), ...this.#waiting])
        exchange?.onAbort(signal)
    })
  }

  #add(): Lane {
    const lane = { client: this.#make(), exchange: undefined }
    this.#all.push(lane)
    return lane
  }

  #start(lane: Lane, exchange: HttpExchange): void {
    lane.exchange = exchange
    exchange.onEnd = (answered) => {
      if (answered) this.#unanswered--
      lane.exchange = undefined
      this.#release(lane)
    }
    lane.client.dispatch(exchange.options, exchange)
  }

  #release(lane: Lane): void {
    const next = this.#waiting.shift()
    if (!next) this.#free.push(lane)
    else if (next.isStopped) this.#release(lane)
    // undici cannot accept a request while it completes another one.
    else queueMicrotask(() => this.#start(lane, next))
  }
}
