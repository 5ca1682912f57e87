import { TransportError } from '../../../../api/wire.ts'
import { parseRetryAfter } from '../../../../client/retry-after.ts'
import { formatDuration } from '../../../../duration.ts'
import { IncompleteError, MeetroomError, NetworkError, ServiceError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Deadline } from './deadline.ts'
import { showWaiting } from './progress.ts'

/** Result of one poll: the awaited value, or the current state. */
export type Poll<T> = { found: T } | { soFar: string }

export interface WaitTimeout {
  /** State at the last successful poll; undefined if there was none. */
  soFar: string | undefined
  failure: MeetroomError | undefined
  /** The service asked for a pause beyond the deadline. */
  isEarly: boolean
}

interface Waiting<T> {
  what: string
  deadline: Deadline
  /** Pause between two polls, in milliseconds. */
  pauseMs: number
  look: () => Promise<Poll<T>>
}

/** Maximum time between the last poll and the deadline, in milliseconds. */
const lastLookMs = 250

/**
 * Polls until a value is found or the deadline has passed. Temporary failures (no response, 429, 5xx) are retried, and
 * `Retry-After` is honored.
 * @throws all other errors of a poll, and the reason of an interruption
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

/** Returns true if a later poll may succeed. A service that is starting may return 500. */
function mayPass(error: MeetroomError): boolean {
  const { cause, status = 0 } = error
  if (cause instanceof TransportError && !cause.transient) return false
  return error.retryable || status >= 500
}

export function endInWords({ isEarly }: WaitTimeout, { wholeMs }: Deadline): string {
  const time = formatDuration(wholeMs)
  return isEarly ? `the service asks for a pause beyond ${time}` : `timed out after ${time}`
}

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
