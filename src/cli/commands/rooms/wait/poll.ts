import { TransportError } from '../../../../api/wire.ts'
import { parseRetryAfter } from '../../../../client/retry-after.ts'
import { formatDuration } from '../../../../duration.ts'
import { IncompleteError, MeetroomError, NetworkError, ServiceError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Deadline } from './deadline.ts'
import { showWaiting } from './progress.ts'

/** What a look shows: what is waited for, or how far it has come. */
export type Poll<T> = { found: T } | { soFar: string }

/** How a wait ended without what it was for. */
export interface WaitTimeout {
  /** What the last look that was answered showed; undefined when none was. */
  soFar: string | undefined
  /** What came of the last look instead of an answer. */
  failure: MeetroomError | undefined
  /** The service asked for a pause beyond the deadline, so that the wait ended before its time. */
  isEarly: boolean
}

interface Waiting<T> {
  /** What for, for people. */
  what: string
  deadline: Deadline
  /** Pause between two looks, in milliseconds. */
  pauseMs: number
  look: () => Promise<Poll<T>>
}

/** A look is not put off beyond so long before the end, in milliseconds: the last one must not be old by then. */
const lastLookMs = 250

/**
 * Looks again and again until there is what is waited for, or the time is up. Failures that may pass (no answer, 429, 5xx)
 * are part of the wait, and `Retry-After` is honoured; all others end it. On a terminal a line says how far it has come.
 * @throws whatever a look throws that waiting does not change, and the user’s interrupt
 */
export async function poll<T>(context: Context, waiting: Waiting<T>): Promise<{ found: T } | WaitTimeout> {
  const { host, interrupt, statusLine } = context
  const { what, deadline, pauseMs, look } = waiting
  const show = showWaiting(context, what, deadline)
  let soFar: string | undefined
  try {
    for (;;) {
      let failure: MeetroomError | undefined
      try {
        const seen = await look()
        if ('found' in seen) return seen
        soFar = seen.soFar
      } catch (error) {
        interrupt.throwIfAborted()
        if (!(error instanceof MeetroomError) || !mayPass(error)) throw error
        failure = error
      }
      show(failure?.message ?? soFar ?? '')
      const left = deadline.leftMs()
      const askedMs = parseRetryAfter(failure?.retryAfter, host.now()) ?? 0
      if (askedMs > left) return { soFar, failure, isEarly: true }
      const sleepMs = Math.max(askedMs, Math.min(pauseMs, left - Math.min(pauseMs, lastLookMs)))
      const isLast = sleepMs <= 0 || sleepMs >= left
      await host.sleep(isLast ? left : sleepMs, interrupt)
      if (isLast) return { soFar, failure, isEarly: false }
    }
  } finally {
    statusLine.clear()
  }
}

/** Whether waiting may change it: a bad certificate stays bad, a refusal stays one. A service that starts may answer 500. */
function mayPass(error: MeetroomError): boolean {
  const { cause, status = 0 } = error
  if (cause instanceof TransportError && !cause.transient) return false
  return error.retryable || status >= 500
}

/** Says why a wait ended: `timed out after 5s`. */
export function endInWords({ isEarly }: WaitTimeout, { wholeMs }: Deadline): string {
  const time = formatDuration(wholeMs)
  return isEarly ? `the service asks for a pause beyond ${time}` : `timed out after ${time}`
}

/** The error for a wait in which no look was answered: what the last one came to. */
export function isTemporaryFailure(
  end: WaitTimeout,
  failure: MeetroomError,
  deadline: Deadline,
): MeetroomError {
  const { message, hint, status, request, body, retryAfter } = failure
  const kinds = [NetworkError, IncompleteError] as const
  const Kind = kinds.find((kind) => failure instanceof kind) ?? ServiceError
  const details = { hint, status, request, body, retryAfter, retryable: true, cause: failure }
  return new Kind(`${endInWords(end, deadline)}: ${message}`, details)
}
