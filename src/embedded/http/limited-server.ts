import { type IncomingMessage, Server, type ServerOptions, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { limitConnections, limits } from './connections.ts'

/** Memory of waiting requests at which a connection is full, in bytes, with and without a valid key. */
const maxWaitingBytes = { known: 512 * 1024, unknown: 16 * 1024 }

interface LimitedServerOptions extends ServerOptions {
  maxConnections?: number | undefined
  /** Returns true for a request with a valid key. */
  isKnown?: ((request: IncomingMessage) => boolean) | undefined
}

/** Code of the error that Node emits when `Parser.onIncoming` stops the parser. */
const stopCode = 'HPE_CB_HEADERS_COMPLETE'

interface Pipeline {
  /** True until the headers of the first request are complete. */
  isSilent: boolean
  isKnown: boolean
  current: ServerResponse | undefined
  /** True once the connection accepts no more requests. */
  isEnded: boolean
  readonly waiting: WaitingRequest[]
  waitingBytes: number
}

interface WaitingRequest {
  readonly event: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly bytes: number
}

/** Part of Node's HTTP parser that this server replaces. */
interface Parser {
  /** Called with each request once the headers are complete. A negative result stops the parser. */
  onIncoming(request: IncomingMessage, keepAlive: boolean): number
}

/** HTTP server that handles one request of a connection at a time, and limits waiting requests. */
export class LimitedServer extends Server {
  readonly #isKnown: (request: IncomingMessage) => boolean
  readonly #pipelines = new Map<Duplex, Pipeline>()
  readonly #unknown = new UnknownClients()
  readonly #removeSilent: (socket: Socket) => void

  constructor(
    { maxConnections, isKnown = () => false, ...options }: LimitedServerOptions,
    listener: (request: IncomingMessage, response: ServerResponse) => void,
  ) {
    super({ ...limits, ...options }, listener)
    this.#isKnown = isKnown
    this.#removeSilent = limitConnections(this, maxConnections)
  }

  /** Ignores the later requests of a connection, because their responses could not be sent. */
  end(socket: Duplex): void {
    const pipeline = this.#pipelines.get(socket)
    if (!pipeline) return
    pipeline.isEnded = true
    pipeline.waiting.length = 0
  }

  /**
   * Returns the origin of the server.
   * @throws a system error if the server cannot listen on `host` and `port`
   */
  async listenAt(host: string, port: number): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      this.once('error', reject)
      this.listen(port, host, resolve)
    })
    const address = this.address() as AddressInfo
    return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`
  }

  /** Stops accepting connections, and waits until all connections are closed. */
  async finish(): Promise<void> {
    await new Promise((resolve) => this.close(resolve))
    // Node calls back before the last connections emit `close`, which ends their requests.
    const sockets = [...this.#pipelines.keys()]
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  }

  /** Closes connections without a request. Node also calls this method when the server closes. */
  override closeIdleConnections(): void {
    // Node would also close a connection whose response has ended but is partly unsent.
    const unsent = [...this.#pipelines.values()].flatMap(({ current }) =>
      isOpen(current) && current.finished ? [current] : [],
    )
    for (const response of unsent) response.finished = false
    super.closeIdleConnections()
    for (const response of unsent) response.finished = true
  }

  override emit(event: string, ...args: unknown[]): boolean {
    const [first, second] = args
    switch (event) {
      case 'request':
      case 'checkContinue':
      case 'checkExpectation':
        this.#receive(event, first as IncomingMessage, second as ServerResponse)
        return true
      case 'connection':
        super.emit(event, first)
        this.#limit(first as Socket)
        return true
      case 'upgrade':
        if (this.#mayUpgrade(first as IncomingMessage)) super.emit(event, ...args)
        return true
      case 'clientError':
        if ((first as { code?: string }).code !== stopCode) break
        // The connection is closed after the responses to its earlier requests.
        ;(second as Socket).pause()
        return true
    }
    return super.emit(event, ...args)
  }

  #limit(socket: Socket): void {
    const pipeline: Pipeline = {
      ...{ isSilent: true, isKnown: false, isEnded: false },
      ...{ current: undefined, waiting: [], waitingBytes: 0 },
    }
    this.#pipelines.set(socket, pipeline)
    socket.once('close', () => {
      this.end(socket)
      this.#pipelines.delete(socket)
    })
    this.#unknown.add(socket)
    // Only this callback can stop the parser between two requests of one read.
    const { parser } = socket as Socket & { parser: Parser }
    const { onIncoming } = parser
    parser.onIncoming = (request, keepAlive) => {
      const max = pipeline.isKnown ? maxWaitingBytes.known : maxWaitingBytes.unknown
      const isAccepted = !pipeline.isEnded && pipeline.waitingBytes < max
      if (isAccepted) return onIncoming(request, keepAlive)
      pipeline.isEnded = true
      return -1
    }
  }

  #receive(event: string, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const pipeline = this.#pipelines.get(socket)
    if (!pipeline || pipeline.isEnded) return
    if (pipeline.isSilent) this.#markComplete(socket, pipeline)
    if (!pipeline.isKnown && this.#isKnown(request)) {
      pipeline.isKnown = true
      this.#unknown.remove(socket)
    }
    const { current } = pipeline
    const isWaiting = isOpen(current)
    const bytes = pipeline.isKnown && !isWaiting ? 0 : measureRequest(request)
    // On a connection with a key, only waiting requests are counted.
    if (bytes > 0) this.#hold(socket, pipeline, response, bytes)
    if (!isWaiting) {
      pipeline.current = response
      super.emit(event, request, response)
      return
    }
    if (pipeline.waiting.length === 0) current.once('close', () => this.#handleNext(socket, pipeline))
    pipeline.waiting.push({ event, request, response, bytes })
    pipeline.waitingBytes += bytes
  }

  #hold(socket: Socket, pipeline: Pipeline, response: ServerResponse, bytes: number): void {
    this.#unknown.change(socket, bytes)
    response.on('close', () => {
      this.#unknown.change(socket, -bytes)
      if (pipeline.current === response) pipeline.current = undefined
    })
  }

  #handleNext(socket: Socket, pipeline: Pipeline): void {
    if (!socket.writable) this.end(socket)
    const next = pipeline.waiting.shift()
    if (!next) return
    const { event, request, response, bytes } = next
    pipeline.current = response
    pipeline.waitingBytes -= bytes
    if (pipeline.waiting.length > 0) response.once('close', () => this.#handleNext(socket, pipeline))
    else if (pipeline.isEnded) response.setHeader('connection', 'close')
    super.emit(event, request, response)
  }

  #mayUpgrade({ socket }: IncomingMessage): boolean {
    const pipeline = this.#pipelines.get(socket)
    if (pipeline?.isSilent) this.#markComplete(socket, pipeline)
    this.#unknown.remove(socket)
    if (pipeline?.isEnded) socket.end()
    // A pending response would be written into the upgraded stream.
    else if (isOpen(pipeline?.current)) socket.destroy()
    else return true
    return false
  }

  #markComplete(socket: Socket, pipeline: Pipeline): void {
    pipeline.isSilent = false
    this.#removeSilent(socket)
  }
}

function isOpen(response: ServerResponse | undefined): response is ServerResponse {
  return response !== undefined && !response.closed
}

/** Maximum memory of all connections without a key and of their requests, in bytes. */
const maxBytes = 48 * 1024 * 1024
const connectionBytes = 4 * 1024
/** Estimated memory of a request in addition to its text, in bytes. */
const requestBytes = 4 * 1024

/** HTTP connections without a key. Above their memory limit, the oldest are closed. */
class UnknownClients {
  /** Memory by connection, in bytes. The oldest connection is first. */
  readonly #held = new Map<Socket, number>()
  #total = 0

  add(socket: Socket): void {
    this.#held.set(socket, 0)
    this.change(socket, connectionBytes)
    socket.once('close', () => this.remove(socket))
  }

  /** Adds `bytes`, which may be negative. Ignores removed connections. */
  change(socket: Socket, bytes: number): void {
    const held = this.#held.get(socket)
    if (held === undefined) return
    this.#held.set(socket, held + bytes)
    this.#total += bytes
    for (const [oldest] of this.#held) {
      if (this.#total <= maxBytes) return
      this.remove(oldest)
      oldest.destroy()
    }
  }

  remove(socket: Socket): void {
    this.#total -= this.#held.get(socket) ?? 0
    this.#held.delete(socket)
  }
}

function measureRequest({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((bytes, text) => bytes + text.length, requestBytes + url.length)
}
