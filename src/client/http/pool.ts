import Client from 'undici/lib/dispatcher/client.js'
import type { Connections } from './connections.ts'
import type { HttpExchange } from './exchange.ts'

interface Lane {
  readonly client: Client
  exchange: HttpExchange | undefined
}

/** Connection pool. undici's own pool searches all of its connections for each request. */
export class ConnectionPool {
  readonly #make: () => Client
  readonly #most: number
  readonly #all: Lane[] = []
  /** Lanes without an exchange, most recently used last. */
  readonly #free: Lane[] = []
  readonly #waiting: HttpExchange[] = []
  readonly #watched = new WeakSet<AbortSignal>()
  /** Number of running and failed exchanges, whose connections may be in any state. */
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

  /** Aborts the exchanges of a signal. A set per signal would leak, as V8 chains the tables of a changing set. */
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
    // undici accepts no request while it ends another.
    else queueMicrotask(() => this.#start(lane, next))
  }
}
