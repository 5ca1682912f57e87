import { InterruptedError, NetworkError, type RequestLine, UnknownOutcomeError } from '../errors.ts'
import { type Transport, TransportError, type WireRequest, type WireResponse } from './wire.ts'

/** The request policy's view of time and chance; the host provides them. */
export interface Clock {
  now(): number
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  random(): number
}

export interface Policy {
  /** One deadline for the whole call, retries and bodies included, in milliseconds. */
  timeoutMs: number
  /** How often a failed attempt is repeated at the most. */
  retries: number
  clock: Clock
  /** Called before each wait. */
  onRetry?: (notice: { reason: string; waitMs: number }) => void
}

export interface Repeatability {
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean
  /** Whether it changes anything: a lost answer then means an unknown outcome. */
  write: boolean
  /** How to find out whether a write took effect; asked only when that is the question. */
  check: () => string | undefined
  line: RequestLine
}

export interface Outcome extends WireResponse {
  /** An attempt before this one may have reached the service. */
  afterLostAttempt: boolean
}

const retriedStatuses = new Set([429, 502, 503, 504])
const baseDelayMs = 200
const maxDelayMs = 8000

type Send = (request: WireRequest, repeatability: Repeatability) => Promise<Outcome>

/**
 * Sends requests and repeats them as the request policy allows: what is repeatable on connection failures, 429, 502,
 * 503 and 504; the rest only when provably unsent or answered 429. `Retry-After` is honoured up to the deadline.
 * What it returns throws:
 * {@link NetworkError} when no answer came and nothing can have happened,
 * {@link UnknownOutcomeError} when a write may have reached the service and no answer came.
 */
export function createSend(transport: Transport, policy: Policy, interrupt?: AbortSignal): Send {
  // A controller that was never aborted is as good as new, and a new one costs as much as half a request: Node 20 gives
  // each signal a shape of its own.
  const idle: AbortController[] = []
  const { clock } = policy
  return async (request, { repeatable, write, check, line }) => {
    const controller = idle.pop() ?? controllerBelow(interrupt)
    const { signal } = controller
    const deadline = clock.now() + policy.timeoutMs
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      controller.abort()
    }, policy.timeoutMs)
    const host = () => new URL(request.url).host
    let lost = false

    const giveUp = (reason: string, cause?: unknown) =>
      write && lost
        ? new UnknownOutcomeError(`${reason}; whether the change was made is not known`, {
            hint: check() ?? 'look at the room before sending it again',
            request: line,
            cause,
          })
        : new NetworkError(reason, { request: line, retryable: true, cause })
    const stopped = () => {
      const { reason } = interrupt ?? {}
      if (!(reason instanceof InterruptedError) || !write) return reason
      const hint = ['the change may have been made', check()].filter(Boolean).join('; ')
      return new InterruptedError(reason.signal, { hint, request: line })
    }
    const late = () => giveUp(`no answer from ${host()} within ${policy.timeoutMs / 1000} s`)

    try {
      for (let attempt = 0; ; attempt++) {
        let reason: string
        let refused: WireResponse | undefined
        let retryAfterMs: number | undefined
        try {
          const answer = await transport(request, signal)
          const again = answer.status === 429 || (repeatable && retriedStatuses.has(answer.status))
          if (!again || attempt >= policy.retries) return { ...answer, afterLostAttempt: lost }
          retryAfterMs = parseRetryAfter(answer.headers['retry-after'], clock.now())
          refused = answer
          // A gateway that gives up (502, 504) does not say whether the service behind it acted.
          if (answer.status !== 429 && answer.status !== 503) lost = true
          reason = `the service answered ${answer.status}`
        } catch (error) {
          if (interrupt?.aborted) throw stopped()
          if (timedOut) {
            lost = true
            throw late()
          }
          if (!(error instanceof TransportError)) throw error
          lost ||= error.maybeSent
          if (!error.transient || attempt >= policy.retries || (error.maybeSent && !repeatable))
            throw giveUp(`no answer from ${host()}: ${error.message}`, error)
          reason = error.message
        }
        const waitMs = retryAfterMs ?? backoff(attempt, clock.random())
        if (clock.now() + waitMs >= deadline) {
          // What the service said is worth more than that there is no time to ask again.
          if (refused) return { ...refused, afterLostAttempt: lost }
          throw late()
        }
        policy.onRetry?.({ reason, waitMs })
        await clock.sleep(waitMs, signal).catch((error) => {
          throw interrupt?.aborted ? stopped() : timedOut ? late() : error
        })
      }
    } finally {
      clearTimeout(timer)
      if (!signal.aborted) idle.push(controller)
    }
  }
}

/** AbortSignal.any costs more, and Node 20 keeps what it makes for as long as its sources. */
function controllerBelow(interrupt: AbortSignal | undefined): AbortController {
  const controller = new AbortController()
  // Gone with the controller, where that is aborted by itself.
  interrupt?.addEventListener('abort', () => controller.abort(), { signal: controller.signal })
  if (interrupt?.aborted) controller.abort()
  return controller
}

/** Exponential, with full jitter over its upper half, so that many scripts do not come back at the same moment. */
function backoff(attempt: number, random: number): number {
  const full = Math.min(baseDelayMs * 2 ** attempt, maxDelayMs)
  return full / 2 + (full / 2) * random
}

/** `Retry-After` in milliseconds from now: seconds or an HTTP date; undefined when it is neither. */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Date.parse reads `1.5` and `-5` as dates; an HTTP date begins with the day of the week.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
