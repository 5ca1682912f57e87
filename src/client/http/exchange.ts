import type { Dispatcher } from 'undici'
import { ChunkList } from '../../api/chunk-list.ts'
import { maxBodyBytes, tooLarge, type WireRequest, type WireResponse } from '../../api/wire.ts'
import { decodeBody } from './content-encoding.ts'
import { toTransportError } from './failure.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>
type Controller = Pick<Dispatcher.DispatchController, 'abort'>

/** Request with its response, as a handler that undici and `NodeHttp` call. */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly response: Promise<WireResponse>
  readonly options: Dispatcher.DispatchOptions & Pick<WireRequest, 'headers'> & { body: string | null }
  /** Runs after a complete response (`isFree` is true) or an error. */
  onEnd: (isFree: boolean) => void = () => {}
  readonly #proxy: string | undefined
  /** Set immediately before bytes are written. While undefined, the service has provably received nothing. */
  #controller: Controller | undefined
  #stopped: Error | undefined
  #resolve: (response: WireResponse | Promise<WireResponse>) => void = () => {}
  #reject: (error: unknown) => void = () => {}
  #status = 0
  #headers: WireResponse['headers'] = {}
  readonly #chunks = new ChunkList()
  #size = 0

  constructor(
    { origin, proxy }: { origin: string; proxy: string | undefined },
    { url, method, headers, body }: WireRequest,
    readonly signal: AbortSignal,
    readonly cancelUnsent: AbortSignal | undefined,
  ) {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#proxy = proxy
    this.options = {
      path: readPath(url, origin),
      method: method as Dispatcher.HttpMethod,
      headers,
      body: body ?? null,
      headersTimeout: 0,
      bodyTimeout: 0,
    }
  }

  get isStopped(): boolean {
    return this.#stopped !== undefined
  }

  /** Aborts the exchange. A request that still waits for a connection is never sent. */
  stop(reason: Error): void {
    this.#stopped = reason
    this.#controller?.abort(reason)
    this.#fail(reason)
  }

  onAbort(signal: AbortSignal): void {
    if (signal === this.signal || (signal === this.cancelUnsent && !this.#controller))
      this.stop(signal.reason)
  }

  onRequestStart(controller: Controller): void {
    if (this.#stopped) controller.abort(this.#stopped)
    else this.#controller = controller
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    this.#status = status
    this.#headers = joinValues(headers)
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#chunks.add(chunk)
    this.#size += chunk.length
    if (this.#size <= maxBodyBytes) return
    this.#resolve({ ...this.#createResponse(new Uint8Array()), unreadable: tooLarge })
    controller.abort(new Error(tooLarge))
  }

  onResponseEnd(): void {
    const response = this.#createResponse(this.#chunks.concat())
    const encoding = this.#headers['content-encoding']
    const isPlain = !encoding || encoding === 'identity' || this.#size === 0
    if (isPlain) this.#resolve(response)
    else void this.#decode(response, encoding)
    this.onEnd(true)
  }

  /** Decodes the body, unless a timeout or an interrupt ends the wait. */
  async #decode(response: WireResponse, encoding: string): Promise<void> {
    const stop = () => this.#fail(this.signal.reason)
    this.signal.addEventListener('abort', stop, { once: true })
    try {
      this.#resolve(await decodeBody(response, encoding))
    } catch (error) {
      this.#fail(error)
    } finally {
      this.signal.removeEventListener('abort', stop)
    }
  }

  onResponseError(_controller: unknown, error: unknown): void {
    this.#fail(error)
    this.onEnd(false)
  }

  #createResponse(body: Uint8Array): WireResponse {
    return { status: this.#status, headers: this.#headers, body }
  }

  #fail(error: unknown): void {
    const maybeSent = this.#controller !== undefined
    const aborted = this.signal.aborted || (!maybeSent && this.cancelUnsent?.aborted === true)
    this.#reject(toTransportError(error, { maybeSent, aborted, proxy: this.#proxy }))
  }
}

/** Avoids `new URL` for simple paths: parsing takes about 10% of the time of a request. */
function readPath(url: string, origin: string): string {
  const rest = url.startsWith(origin) ? url.slice(origin.length) : ''
  if (/^\/[\w/-]*$/.test(rest)) return rest
  const { pathname, search } = new URL(url)
  return pathname + search
}

function joinValues(headers: Headers): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    joined[name] = Array.isArray(value) ? value.join(', ') : `${value}`
  }
  return joined
}
