import Client from 'undici/lib/dispatcher/client.js'
import type { Connections } from './connections.ts'
import type { Exchange } from './exchange.ts'

/** A client of undici for each connection. undici’s own pool looks through all of its connections for each request. */
export class Clients {
  readonly #make: () => Client
  readonly #most: number
  readonly #all: Client[] = []
  /** Those without a request, the last used at the end. */
  readonly #free: Client[] = []
  readonly #waiting: Exchange[] = []

  /** @param most number of connections */
  constructor(origin: string, connections: Connections, most: number) {
    this.#make = () => new Client(origin, { connect: connections.open })
    this.#most = most
  }

  /** Sends a request, as soon as there is a connection for it. */
  send(exchange: Exchange): void {
    const client = this.#free.pop() ?? (this.#all.length < this.#most ? this.#add() : undefined)
    if (client) this.#start(client, exchange)
    else this.#waiting.push(exchange)
  }

  /** Ends all that is under way. */
  async destroy(): Promise<void> {
    await Promise.all(this.#all.map((client) => client.destroy()))
  }

  #add(): Client {
    const client = this.#make()
    this.#all.push(client)
    return client
  }

  #start(client: Client, exchange: Exchange): void {
    exchange.onEnd = () => this.#release(client)
    client.dispatch(exchange.options, exchange)
  }

  #release(client: Client): void {
    const next = this.#waiting.shift()
    if (!next) this.#free.push(client)
    else if (next.stopped) this.#release(client)
    // undici takes no request while it ends another.
    else queueMicrotask(() => this.#start(client, next))
  }
}
