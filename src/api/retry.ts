import {
  InterruptedError,
  type MeetroomError,
  NetworkError,
  type RequestLine,
  ServiceError,
  UnknownOutcomeError,
} from '../errors.ts'
import { parseRetryAfter } from './retry-after.ts'
import { type Transport, TransportError, type WireRequest, type WireResponse } from './wire.ts'

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

export interface Repeatability {
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean
  /** Whether it changes anything: a lost answer then means an unknown outcome. */
  write: boolean
  /** How to find out whether a write took effect; asked only when that is the question. */
  check: () => string
  line: RequestLine
}

/** The answer to the last attempt. */
export interface Reply extends WireResponse {
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

type Send = (request: WireRequest, repeatability: Repeatability) => Promise<Reply>

/**
 * Sends requests and repeats them as the request policy allows: what is repeatable on connection failures, 429, 503 and when a
 * gateway gave up; the rest only when provably unsent or answered 429. `Retry-After` is honoured up to the deadline.
 * What it returns throws:
 * {@link NetworkError} when no answer came and nothing can have happened,
 * {@link UnknownOutcomeError} when a write may have reached the service and no answer came.
 */
export function createSend(
  transport: Transport,
  policy: Policy,
  { interrupt, withdrawn }: Interruption = {},
): Send {
  // A controller that was never aborted is as good as new, and a new one costs as much as half a request: Node 20 gives
  // each signal a shape of its own.
  const idle: AbortController[] = []
  const { timing, retries } = policy
  return async (request, repeatability) => {
    const { timeoutMs } = policy
    const controller = idle.pop() ?? controllerBelow(interrupt)
    const { signal } = controller
    const deadline = timing.monotonic() + timeoutMs
    let timedOut = false
    const callOff = timing.after(timeoutMs, () => {
      timedOut = true
      controller.abort()
    })
    let lost = false
    const late = (why = '') =>
      noAnswer(`from ${hostOf(request)} within ${timeoutMs / 1000} s${why}`, repeatability, lost, undefined)

    try {
      for (let attempt = 0; ; attempt++) {
        let answer: WireResponse | undefined
        let reason: string
        try {
          answer = await transport(request, signal, withdrawn)
          const { status } = answer
          const again = status === 429 || (repeatability.repeatable && retriedStatuses.has(status))
          if (!again || attempt >= retries) return { ...answer, afterLostAttempt: lost }
          if (gaveUpStatuses.has(status)) lost = true
          reason = `the service answered ${status}`
        } catch (error) {
          const unsent = error instanceof TransportError && !error.maybeSent
          const stopped = interrupt?.aborted
            ? interrupt
            : unsent && withdrawn?.aborted
              ? withdrawn
              : undefined
          if (stopped) throw interrupted(stopped, repeatability, lost || !unsent)
          if (timedOut) {
            lost ||= !unsent
            throw late(unsent ? `: ${error.message}` : '')
          }
          // Something came back, but it is unusable.
          if (error instanceof ServiceError && repeatability.write)
            throw unknownOutcome(error.message, repeatability, error)
          if (!(error instanceof TransportError)) throw error
          lost ||= error.maybeSent
          if (!error.transient || attempt >= retries || (error.maybeSent && !repeatability.repeatable))
            throw noAnswer(`from ${hostOf(request)}: ${error.message}`, repeatability, lost, error)
          reason = error.message
        }
        const asked = parseRetryAfter(answer?.headers['retry-after'], timing.now())
        const waitMs = asked ?? backoff(attempt, timing.random())
        if (timing.monotonic() + waitMs >= deadline) {
          // What the service said is more useful than “no time to retry”.
          if (answer) return { ...answer, afterLostAttempt: lost }
          throw late()
        }
        policy.onRetry?.({ status: answer?.status, reason, waitMs })
        const wake = () => controller.abort()
        withdrawn?.addEventListener('abort', wake)
        if (withdrawn?.aborted) wake()
        await timing
          .sleep(waitMs, signal)
          .catch((error) => {
            const stopped = interrupt?.aborted ? interrupt : withdrawn?.aborted ? withdrawn : undefined
            throw stopped ? interrupted(stopped, repeatability, lost) : timedOut ? late() : error
          })
          .finally(() => withdrawn?.removeEventListener('abort', wake))
      }
    } finally {
      callOff()
      if (!signal.aborted) idle.push(controller)
    }
  }
}

function hostOf({ url }: WireRequest): string {
  return new URL(url).host
}

/** @param lost an attempt may have reached the service */
function noAnswer(what: string, repeatability: Repeatability, lost: boolean, cause: unknown): MeetroomError {
  const { write, line } = repeatability
  const message = `no answer ${what}`
  if (!write || !lost) return new NetworkError(message, { request: line, retryable: true, cause })
  return unknownOutcome(message, repeatability, cause)
}

function unknownOutcome(
  message: string,
  { check, line }: Repeatability,
  cause: unknown,
): UnknownOutcomeError {
  return new UnknownOutcomeError(`${message}; whether the change was made is not known`, {
    hint: check(),
    request: line,
    cause,
  })
}

/** The reason for the interrupt; for a write that may have been sent, also how to find out whether it took effect. */
function interrupted({ reason }: AbortSignal, { write, check, line }: Repeatability, lost: boolean): unknown {
  if (!(reason instanceof InterruptedError) || !write || !lost) return reason
  const hint = `the change may have been made; ${check()}`
  return new InterruptedError(reason.signal, { hint, request: line })
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
