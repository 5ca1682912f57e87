import Client from 'undici/lib/dispatcher/client.js'
import type { Connections } from './connections.ts'
import type { HttpExchange } from './exchange.ts'

interface Lane {
  readonly client: Client
  exchange: HttpExchange | undefined
}

/** A client of undici for each connection. undici’s own pool looks through all of its connections for each request. */
export class ConnectionPool {
  readonly #make: () => Client
  readonly #most: number
  readonly #all: Lane[] = []
  /** Those without an exchange, the last used at the end. */
  readonly #free: Lane[] = []
  readonly #waiting: HttpExchange[] = []
  readonly #watched = new WeakSet<AbortSignal>()
  /** Exchanges under way, and those that failed: their connections may be in any state. */
  #unanswered = 0

  /** @param most number of connections */
  constructor(origin: string, connections: Connections, most: number) {
    this.#make = () => new Client(origin, { connect: connections.open })
    this.#most = most
  }

  /** Whether all exchanges have come to a good end. */
  get areIdle(): boolean {
    return this.#unanswered === 0
  }

  /** Sends a request, as soon as there is a connection for it. */
  send(exchange: HttpExchange): void {
    const { signal, withdrawn } = exchange
    this.#unanswered++
    this.#watch(signal)
    if (withdrawn) this.#watch(withdrawn)
    if (signal.aborted) exchange.stop(signal.reason)
    else this.#begin(exchange)
  }

  /** Ends all that is under way. */
  async destroy(): Promise<void> {
    await Promise.all(this.#all.map(({ client }) => client.destroy()))
  }

  #begin(exchange: HttpExchange): void {
    const lane = this.#free.pop() ?? (this.#all.length < this.#most ? this.#add() : undefined)
    if (lane) this.#start(lane, exchange)
    else this.#waiting.push(exchange)
  }

  /**
   * Ends what a signal ends. All are looked through then: a set of exchanges for each signal would keep ended ones alive, as V8
   * chains the tables of a set that things come to and go from.
   */
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
    // undici takes no request while it ends another.
    else queueMicrotask(() => this.#start(lane, next))
  }
}
