import { type Transport, TransportError, type WireRequest, type WireResponse } from '../api/wire.ts'
import { ServiceError } from '../errors.ts'
import {
  hostOf,
  interruptionError,
  noResponseError,
  type Repeatability,
  unknownOutcomeError,
} from './no-answer.ts'
import { parseRetryAfter } from './retry-after.ts'

/** The request policy's view of time and chance; the host provides them. */
export interface Timing {
  /** Wall clock, which may be set back: only for dates in `Retry-After`. */
  now(): number
  /** Milliseconds since an arbitrary moment: never goes back, never jumps. */
  monotonic(): number
  /** Calls back once, `ms` milliseconds from now; the returned function cancels it. */
  after(ms: number, work: () => void): () => void
  /** Resolves after `ms` milliseconds, or rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Fraction in [0, 1), for jitter. */
  random(): number
}

/** An attempt that failed and is about to be repeated. */
export interface Retry {
  /** What the service answered; undefined when no answer came. */
  status: number | undefined
  /** The same for people. */
  reason: string
  waitMs: number
}

export interface Policy {
  /** One deadline for the whole call, retries and bodies included, in milliseconds; asked for when the call begins. */
  readonly timeoutMs: number
  /** How often a failed attempt is repeated at the most. */
  retries: number
  timing: Timing
  /** Called before each wait. */
  onRetry?: (retry: Retry) => void
}

/** The answer to the last attempt. */
export interface FinalResponse extends WireResponse {
  /** An attempt before this one may have reached the service. */
  afterLostAttempt: boolean
}

/**
 * What a gateway answers when it gave up on the service behind it, which may have acted: 502 and 504, and at Cloudflare also 520
 * (an answer it does not understand), 522 (no connection, or no acknowledgement of the request) and 524 (no answer in time).
 */
export const gaveUpStatuses: ReadonlySet<number> = new Set([502, 504, 520, 522, 524])
const retriedStatuses = new Set([429, 503, ...gaveUpStatuses])
const baseDelayMs = 200
const maxDelayMs = 8000

interface Interruption {
  /** Aborts whatever is under way. */
  interrupt?: AbortSignal
  /** Aborted: what has not been sent is not sent any more, and what waits to be sent again does not wait. */
  withdrawn?: AbortSignal
}

type Send = (request: WireRequest, repeatability: Repeatability) => Promise<FinalResponse>

/**
 * Sends requests and repeats them as the request policy allows: what is repeatable on connection failures, 429, 503 and when a
 * gateway gave up; the rest only when provably unsent or answered 429. `Retry-After` is honoured up to the deadline.
 * What it returns throws:
 * {@link NetworkError} when no answer came and nothing can have happened,
 * {@link UnknownOutcomeError} when a write may have reached the service and no answer came.
 */
export function createSend(transport: Transport, policy: Policy, interruption: Interruption = {}): Send {
  // A controller that was never aborted is as good as new, and a new one costs as much as half a request: Node 20 gives
  // each signal a shape of its own.
  const idle: AbortController[] = []
  const around = { transport, policy, interruption, idle }
  return (request, repeatability) => new Sending(around, request, repeatability).run()
}

interface Around {
  transport: Transport
  policy: Policy
  interruption: Interruption
  /** Controllers that no request uses. */
  idle: AbortController[]
}

/** One request, until it is answered or given up. */
class Sending {
  readonly #around: Around
  readonly #request: WireRequest
  readonly #repeatability: Repeatability
  readonly #controller: AbortController
  readonly #timeoutMs: number
  #timedOut = false
  /** An attempt may have reached the service, and had no answer. */
  #lost = false

  constructor(around: Around, request: WireRequest, repeatability: Repeatability) {
    this.#around = around
    this.#request = request
    this.#repeatability = repeatability
    this.#controller = around.idle.pop() ?? controllerBelow(around.interruption.interrupt)
    this.#timeoutMs = around.policy.timeoutMs
  }

  async run(): Promise<FinalResponse> {
    const { transport, policy, interruption, idle } = this.#around
    const { timing, retries } = policy
    const { signal } = this.#controller
    const deadline = timing.monotonic() + this.#timeoutMs
    const callOff = timing.after(this.#timeoutMs, () => {
      this.#timedOut = true
      this.#controller.abort()
    })
    try {
      for (let attempt = 0; ; attempt++) {
        let answer: WireResponse | undefined
        let reason: string
        try {
          answer = await transport(this.#request, signal, interruption.withdrawn)
          const { status } = answer
          const again = status === 429 || (this.#repeatability.repeatable && retriedStatuses.has(status))
          if (!again || attempt >= retries) return this.#reply(answer)
          if (gaveUpStatuses.has(status)) this.#lost = true
          reason = `the service answered ${status}`
        } catch (error) {
          reason = this.#reasonToRetry(error, attempt)
        }
        const asked = parseRetryAfter(answer?.headers['retry-after'], timing.now())
        const waitMs = asked ?? backoff(attempt, timing.random())
        if (timing.monotonic() + waitMs >= deadline) {
          // What the service said is more useful than “no time to retry”.
          if (answer) return this.#reply(answer)
          throw this.#late()
        }
        policy.onRetry?.({ status: answer?.status, reason, waitMs })
        await this.#wait(waitMs)
      }
    } finally {
      callOff()
      if (!signal.aborted) idle.push(this.#controller)
    }
  }

  #reply({ status, headers, body, unreadable }: WireResponse): FinalResponse {
    const reply = { status, headers, body, afterLostAttempt: this.#lost }
    return unreadable === undefined ? reply : { ...reply, unreadable }
  }

  /**
   * What went wrong with an attempt that is to be repeated.
   * @throws what the request ends with, where it is not
   */
  #reasonToRetry(error: unknown, attempt: number): string {
    const repeatability = this.#repeatability
    const { interrupt, withdrawn } = this.#around.interruption
    const unsent = error instanceof TransportError && !error.maybeSent
    const stopped = interrupt?.aborted ? interrupt : unsent && withdrawn?.aborted ? withdrawn : undefined
    if (stopped) throw interruptionError(stopped, repeatability, this.#lost || !unsent)
    if (this.#timedOut) {
      this.#lost ||= !unsent
      throw this.#late(unsent ? `: ${error.message}` : '')
    }
    // Something came back, but it is unusable.
    if (error instanceof ServiceError && repeatability.write)
      throw unknownOutcomeError(error.message, repeatability, error)
    if (!(error instanceof TransportError)) throw error
    this.#lost ||= error.maybeSent
    const mayRepeat = error.transient && (!error.maybeSent || repeatability.repeatable)
    if (!mayRepeat || attempt >= this.#around.policy.retries)
      throw noResponseError(
        `from ${hostOf(this.#request)}: ${error.message}`,
        repeatability,
        this.#lost,
        error,
      )
    return error.message
  }

  /** Waits before the next attempt, unless nobody waits for that any more. */
  async #wait(ms: number): Promise<void> {
    const { policy, interruption } = this.#around
    const { interrupt, withdrawn } = interruption
    const wake = () => this.#controller.abort()
    withdrawn?.addEventListener('abort', wake)
    if (withdrawn?.aborted) wake()
    try {
      await policy.timing.sleep(ms, this.#controller.signal)
    } catch (error) {
      const stopped = interrupt?.aborted ? interrupt : withdrawn?.aborted ? withdrawn : undefined
      if (stopped) throw interruptionError(stopped, this.#repeatability, this.#lost)
      throw this.#timedOut ? this.#late() : error
    } finally {
      withdrawn?.removeEventListener('abort', wake)
    }
  }

  #late(why = ''): Error {
    const what = `from ${hostOf(this.#request)} within ${this.#timeoutMs / 1000} s${why}`
    return noResponseError(what, this.#repeatability, this.#lost)
  }
}

/** AbortSignal.any costs more, and Node 20 keeps what it makes for as long as its sources. */
function controllerBelow(interrupt: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  // The listener goes away when the controller itself is aborted.
  interrupt?.addEventListener('abort', () => controller.abort(), { signal: controller.signal })
  if (interrupt?.aborted) controller.abort()
  return controller
}

/**
 * How long to wait before the next attempt, in milliseconds. Exponential, with full jitter over its upper half, so that many
 * scripts do not retry at the same moment.
 * @param attempt number of attempts that failed before
 * @param random fraction in [0, 1)
 */
export function backoff(attempt: number, random: number): number {
  const full = Math.min(baseDelayMs * 2 ** attempt, maxDelayMs)
  return full / 2 + (full / 2) * random
}
