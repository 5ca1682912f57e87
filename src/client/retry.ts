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
  /** Runs `work` after `ms` milliseconds. Returns a function that cancels the timer. */
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
  /** Timeout of a request, including retries and the reading of bodies, in milliseconds. */
  readonly timeoutMs: number
  retries: number
  timing: Timing
  onRetry?: (retry: Retry) => void
  /** @param result status of the response, or the reason for a missing response */
  onAttempt?: (request: WireRequest, result: string) => void
  /** Scheduler of the run. Its pauses restart the timeout. */
  pacer?: Pacer
}

/** Scheduler of the requests of a run, and of retries after 429 and 503. */
export interface Pacer {
  /** Aborts when the run stops. Requests refused with 429 or 503 are then not sent again. */
  readonly stop: AbortSignal
  /** Resolves when the next request may start, or the run stops; undefined for an immediate start. */
  startRequest(): Promise<void> | undefined
  onAccepted(): void
  /**
   * @param refusals number of earlier 429 and 503 responses to the same request
   * @returns pause of this request only, in milliseconds; undefined to stop retrying
   */
  onBusy(status: number, retryAfterMs: number | undefined, refusals: number): number | undefined
}

export interface FinalResponse extends WireResponse {
  /** True if the service may have processed an earlier attempt. */
  afterLostAttempt: boolean
}

interface Interruption {
  interrupt?: AbortSignal
  /** Cancels retries, and requests that have not been sent. */
  cancelUnsent?: AbortSignal
}

type Send = (request: WireRequest, repeatability: Repeatability) => Promise<FinalResponse>

/**
 * Creates the function that sends requests. Retries unrepeatable requests only if the service did not process
 * an earlier attempt.
 */
export function createSend(transport: Transport, policy: Policy, interruption: Interruption = {}): Send {
  // Reuses controllers, because creating a controller takes half as long as a request in Node 20.
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
  #deadline = 0
  #cancelTimeout = () => {}
  #timedOut = false
  #failures = 0
  #refusals = 0
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
    const { pacer } = policy
    const { signal } = this.#controller
    try {
      await pacer?.startRequest()
      this.#startTimeout()
      for (;;) {
        let response: WireResponse | undefined
        let reason: string | undefined
        try {
          response = await transport(this.#request, signal, interruption.cancelUnsent)
          policy.onAttempt?.(this.#request, `${response.status}`)
        } catch (error) {
          policy.onAttempt?.(this.#request, error instanceof TransportError ? error.message : 'no response')
          reason = this.#reasonToRetry(error)
        }
        if (!response) await this.#waitToRetry(reason)
        else if (pacer && isBusy(response.status)) {
          if (!(await this.#pause(response, pacer))) return this.#reply(response)
        } else {
          pacer?.onAccepted()
          if (!this.#canRetry(response) || this.#failures >= policy.retries) return this.#reply(response)
          if (!(await this.#waitToRetry(undefined, response))) return this.#reply(response)
        }
      }
    } finally {
      this.#cancelTimeout()
      if (!signal.aborted) idle.push(this.#controller)
    }
  }

  #startTimeout(): void {
    const { timing } = this.#context.policy
    this.#deadline = timing.monotonic() + this.#timeoutMs
    this.#cancelTimeout = timing.after(this.#timeoutMs, () => {
      this.#timedOut = true
      this.#controller.abort()
    })
  }

  #canRetry({ status, headers }: WireResponse): boolean {
    return isRetriedStatus(status, this.#repeatability.repeatable, headers['retry-after'])
  }

  /** Pauses while the service is busy. Returns false if the request is not sent again. */
  async #pause(response: WireResponse, pacer: Pacer): Promise<boolean> {
    const { policy, interruption } = this.#context
    const { status, headers } = response
    const retryAfterMs = parseRetryAfter(headers['retry-after'], policy.timing.now())
    const pauseMs = pacer.onBusy(status, retryAfterMs, this.#refusals++)
    if (pauseMs === undefined || !this.#canRetry(response)) return false
    this.#cancelTimeout()
    this.#maybeReceived ||= mayHaveActed(status, false, headers['retry-after'])
    if (pauseMs > 0) await policy.timing.sleep(pauseMs, pacer.stop).catch(() => {})
    await pacer.startRequest()
    const { cancelUnsent } = interruption
    if (cancelUnsent?.aborted)
      throw createInterruptionError(cancelUnsent, this.#repeatability, this.#maybeReceived)
    if (pacer.stop.aborted) return false
    this.#startTimeout()
    return true
  }

  #reply({ status, headers, body, unreadable }: WireResponse): FinalResponse {
    const reply = { status, headers, body, afterLostAttempt: this.#maybeReceived }
    return unreadable === undefined ? reply : { ...reply, unreadable }
  }

  /** @throws the final error if there is no retry */
  #reasonToRetry(error: unknown): string {
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
    if (!isRetriedFailure(error, repeatability.repeatable) || this.#failures >= this.#context.policy.retries)
      throw createNoResponseError(
        `from ${readHost(this.#request)}: ${error.message}`,
        repeatability,
        this.#maybeReceived,
        error,
      )
    return error.message
  }

  /** Waits before the next attempt. Returns false if the response is final. */
  async #waitToRetry(failure: string | undefined, response?: WireResponse): Promise<boolean> {
    const { policy, interruption } = this.#context
    const { timing } = policy
    const { interrupt, cancelUnsent } = interruption
    const retryAfter = response?.headers['retry-after']
    if (response && mayHaveActed(response.status, false, retryAfter)) this.#maybeReceived = true
    const attempt = this.#failures++
    const waitMs = parseRetryAfter(retryAfter, timing.now()) ?? backoff(attempt, timing.random())
    if (timing.monotonic() + waitMs >= this.#deadline) {
      // The message of the service is more useful than a timeout error.
      if (response) return false
      throw this.#timeoutError()
    }
    const reason = failure ?? `the service responded with ${response?.status}`
    policy.onRetry?.({ status: response?.status, reason, waitMs })
    const wake = () => this.#controller.abort()
    cancelUnsent?.addEventListener('abort', wake)
    if (cancelUnsent?.aborted) wake()
    try {
      await timing.sleep(waitMs, this.#controller.signal)
      return true
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

/** Replaces `AbortSignal.any`, which is slower and leaks memory in Node 20. */
function createController(interrupt: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  interrupt?.addEventListener('abort', () => controller.abort(), { signal: controller.signal })
  if (interrupt?.aborted) controller.abort()
  return controller
}
