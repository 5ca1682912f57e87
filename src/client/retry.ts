import { backoff } from '../api/backoff.ts'
import { type Transport, TransportError, type WireRequest, type WireResponse } from '../api/wire.ts'
import { ServiceError } from '../errors.ts'
import {
  createInterruptionError,
  createNoResponseError,
  createUnknownOutcomeError,
  type Repeatability,
  readHost,
} from './no-response.ts'
import { isBusy, isRetriedFailure, isRetriedStatus, mayHaveActed, parseRetryAfter } from './retry-policy.ts'

interface Timing {
  /** Wall clock, in milliseconds since 1970, for dates in `Retry-After`. */
  now(): number
  /** Monotonic clock, in milliseconds since an arbitrary moment. */
  monotonic(): number
  /** Runs `work` after `ms` milliseconds; the returned function cancels it. */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms` milliseconds, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Returns a fraction in [0, 1), for jitter. */
  random(): number
}

export interface Retry {
  status: number | undefined
  reason: string
  waitMs: number
}

export interface Policy {
  /** Timeout of a call including its retries and reading the bodies, in milliseconds. */
  readonly timeoutMs: number
  retries: number
  /** False when the caller itself retries after 429 and 503. */
  retriesBusy?: boolean
  timing: Timing
  onRetry?: (retry: Retry) => void
}

export interface FinalResponse extends WireResponse {
  /** True when the response to an earlier attempt was lost. */
  afterLostAttempt: boolean
}

interface Interruption {
  interrupt?: AbortSignal
  /** Aborts pending retries, and requests that have not been sent. */
  cancelUnsent?: AbortSignal
}

export type Send = (request: WireRequest, repeatability: Repeatability) => Promise<FinalResponse>

/**
 * Creates the function that sends and retries requests. Repeatable requests are retried after connection failures, 429,
 * 503 and gateway timeouts, others only if unsent, after 429, or after 503 with `Retry-After`. Honors `Retry-After`
 * within the timeout.
 * @throws {NetworkError} when no response arrived and nothing can have changed
 * @throws {UnknownOutcomeError} when a write may have reached the service without a response
 */
export function createSend(transport: Transport, policy: Policy, interruption: Interruption = {}): Send {
  // Controllers are reused, because creating one takes half as long as a request in Node 20.
  const idle: AbortController[] = []
  const context = { transport, policy, interruption, idle }
  return (request, repeatability) => new RequestRun(context, request, repeatability).run()
}

interface RetryContext {
  transport: Transport
  policy: Policy
  interruption: Interruption
  idle: AbortController[]
}

class RequestRun {
  readonly #context: RetryContext
  readonly #request: WireRequest
  readonly #repeatability: Repeatability
  readonly #controller: AbortController
  readonly #timeoutMs: number
  #timedOut = false
  /** True when an attempt without a response may have reached the service. */
  #maybeReceived = false

  constructor(context: RetryContext, request: WireRequest, repeatability: Repeatability) {
    this.#context = context
    this.#request = request
    this.#repeatability = repeatability
    this.#controller = context.idle.pop() ?? createController(context.interruption.interrupt)
    this.#timeoutMs = context.policy.timeoutMs
  }

  async run(): Promise<FinalResponse> {
    const { transport, policy, interruption, idle } = this.#context
    const { timing, retries, retriesBusy = true } = policy
    const { signal } = this.#controller
    const deadline = timing.monotonic() + this.#timeoutMs
    const cancelTimeout = timing.after(this.#timeoutMs, () => {
      this.#timedOut = true
      this.#controller.abort()
    })
    try {
      for (let attempt = 0; ; attempt++) {
        let response: WireResponse | undefined
        let reason: string
        try {
          response = await transport(this.#request, signal, interruption.cancelUnsent)
          const { status, headers } = response
          const retryAfter = headers['retry-after']
          const canRetry = isRetriedStatus(status, this.#repeatability.repeatable, retryAfter)
          const isRetried = canRetry && (retriesBusy || !isBusy(status))
          if (!isRetried || attempt >= retries) return this.#reply(response)
          if (mayHaveActed(status, false, retryAfter)) this.#maybeReceived = true
          reason = `the service responded with ${status}`
        } catch (error) {
          reason = this.#reasonToRetry(error, attempt)
        }
        const retryAfterMs = parseRetryAfter(response?.headers['retry-after'], timing.now())
        const waitMs = retryAfterMs ?? backoff(attempt, timing.random())
        if (timing.monotonic() + waitMs >= deadline) {
          // The message of the service is more useful than a timeout error.
          if (response) return this.#reply(response)
          throw this.#timeoutError()
        }
        policy.onRetry?.({ status: response?.status, reason, waitMs })
        await this.#waitToRetry(waitMs)
      }
    } finally {
      cancelTimeout()
      if (!signal.aborted) idle.push(this.#controller)
    }
  }

  #reply({ status, headers, body, unreadable }: WireResponse): FinalResponse {
    const reply = { status, headers, body, afterLostAttempt: this.#maybeReceived }
    return unreadable === undefined ? reply : { ...reply, unreadable }
  }

  /** @throws the final error when there is no retry */
  #reasonToRetry(error: unknown, attempt: number): string {
    const repeatability = this.#repeatability
    const { interrupt, cancelUnsent } = this.#context.interruption
    const unsent = error instanceof TransportError && !error.maybeSent
    const stopped = interrupt?.aborted
      ? interrupt
      : unsent && cancelUnsent?.aborted
        ? cancelUnsent
        : undefined
    if (stopped) throw createInterruptionError(stopped, repeatability, this.#maybeReceived || !unsent)
    if (this.#timedOut) {
      this.#maybeReceived ||= !unsent
      throw this.#timeoutError(unsent ? `: ${error.message}` : '')
    }
    // An unreadable response proves that the service received the request.
    if (error instanceof ServiceError && repeatability.write)
      throw createUnknownOutcomeError(error.message, repeatability, error)
    if (!(error instanceof TransportError)) throw error
    this.#maybeReceived ||= error.maybeSent
    if (!isRetriedFailure(error, repeatability.repeatable) || attempt >= this.#context.policy.retries)
      throw createNoResponseError(
        `from ${readHost(this.#request)}: ${error.message}`,
        repeatability,
        this.#maybeReceived,
        error,
      )
    return error.message
  }

  async #waitToRetry(ms: number): Promise<void> {
    const { policy, interruption } = this.#context
    const { interrupt, cancelUnsent } = interruption
    const wake = () => this.#controller.abort()
    cancelUnsent?.addEventListener('abort', wake)
    if (cancelUnsent?.aborted) wake()
    try {
      await policy.timing.sleep(ms, this.#controller.signal)
    } catch (error) {
      const stopped = interrupt?.aborted ? interrupt : cancelUnsent?.aborted ? cancelUnsent : undefined
      if (stopped) throw createInterruptionError(stopped, this.#repeatability, this.#maybeReceived)
      throw this.#timedOut ? this.#timeoutError() : error
    } finally {
      cancelUnsent?.removeEventListener('abort', wake)
    }
  }

  #timeoutError(reason = ''): Error {
    const what = `from ${readHost(this.#request)} within ${this.#timeoutMs / 1000} s${reason}`
    return createNoResponseError(what, this.#repeatability, this.#maybeReceived)
  }
}

/** Creates a controller that aborts on an interrupt. AbortSignal.any is slower and leaks memory in Node 20. */
function createController(interrupt: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  // The listener is removed when the controller aborts.
  interrupt?.addEventListener('abort', () => controller.abort(), { signal: controller.signal })
  if (interrupt?.aborted) controller.abort()
  return controller
}
