import type { Dispatcher } from 'undici'
import { maxBodyBytes, type WireRequest, type WireResponse } from './wire.ts'

/**
 * One request and its answer, received whole and still encoded. undici’s own `request` makes a stream of each, at several
 * times the cost; and what is a function of its own for each request here would cost, too.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** undici calls `onConnect` just before it writes to the socket: until then the service has seen nothing. */
  maybeSent = false
  /** Why it was ended, if it was: nobody waits for the answer any more. */
  stopped: Error | undefined
  readonly answer: Promise<WireResponse>
  readonly options: Dispatcher.DispatchOptions
  /** Called once, when undici has done with it. */
  onEnd = () => {}
  #resolve: (answer: WireResponse) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #abort: ((error: Error) => void) | undefined
  #head: Pick<WireResponse, 'status' | 'headers'> = { status: 0, headers: {} }
  readonly #chunks: Buffer[] = []
  #size = 0

  constructor(origin: string, { url, method, headers, body }: WireRequest) {
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.options = {
      origin,
      path: pathOf(url, origin),
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }

  /** Ends it. A request that is waiting for a connection also ends at once, and is never sent. */
  stop(reason: Error): void {
    this.stopped = reason
    this.#abort?.(reason)
    this.#reject(reason)
  }

  /** Ends it, unless it was sent. */
  withdraw(reason: Error): void {
    if (!this.maybeSent) this.stop(reason)
  }

  onConnect(abort: (error: Error) => void): void {
    if (this.stopped) abort(this.stopped)
    else {
      this.maybeSent = true
      this.#abort = abort
    }
  }

  onHeaders(status: number, raw: Buffer[]): boolean {
    this.#head = { status, headers: readHeaders(raw) }
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size <= maxBodyBytes) return true
    this.#resolve({ ...this.#head, body: nothing, unreadable: tooLarge })
    this.#abort?.(new Error(tooLarge))
    return false
  }

  onComplete(): void {
    this.#resolve({ ...this.#head, body: join(this.#chunks) })
    this.onEnd()
  }

  onError(error: Error): void {
    this.#reject(error)
    this.onEnd()
  }
}

/** Path and query of a URL. Most are plain, and taking one apart costs as much as a tenth of a request. */
function pathOf(url: string, origin: string): string {
  const rest = url.startsWith(origin) ? url.slice(origin.length) : ''
  if (/^\/[\w/-]*$/.test(rest)) return rest
  const { pathname, search } = new URL(url)
  return pathname + search
}

function join(chunks: readonly Buffer[]): Uint8Array {
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
}

/** Names and values alternate; names in any case. */
function readHeaders(raw: readonly Buffer[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase()
    const value = raw[i + 1]?.toString('latin1') ?? ''
    headers[name] = Object.hasOwn(headers, name) ? `${headers[name]}, ${value}` : value
  }
  return headers
}

const nothing = new Uint8Array()
/** Why a body that is too large cannot be read. */
export const tooLarge = `it is larger than ${maxBodyBytes / 1024 / 1024} MB`
