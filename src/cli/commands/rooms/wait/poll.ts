import type { Client } from '../../../../client/client.ts'
import { isTemporary, parseRetryAfter } from '../../../../client/retry-policy.ts'
import { formatDuration } from '../../../../duration.ts'
import { IncompleteError, type MeetroomError, NetworkError, ServiceError } from '../../../../errors.ts'
import type { Host } from '../../../../host.ts'
import type { Context } from '../../../kernel/context.ts'
import { truncate } from '../../../output/formats/fit.ts'
import { visible } from '../../../output/terminal/visible.ts'

interface Deadline {
  readonly wholeMs: number
  leftMs(): number
}

export function createDeadline(clock: Pick<Host, 'monotonic'>, wholeMs: number): Deadline {
  const end = clock.monotonic() + wholeMs
  return { wholeMs, leftMs: () => Math.max(0, end - clock.monotonic()) }
}

export async function createPollClient(context: Context, deadline: Deadline): Promise<Client> {
  const { timeout } = await context.settings()
  return context.client({
    // Facts from earlier probes may be outdated.
    serviceFacts: {},
    timeoutMs: () => Math.min(timeout.value * 1000, Math.max(1, Math.round(deadline.leftMs()))),
    // The next poll replaces a retry.
    retries: 0,
  })
}

export type Poll<T> = { found: T } | { state: string }

interface WaitTimeout {
  /** State at the last successful poll; undefined before the first successful poll. */
  state: string | undefined
  failure: MeetroomError | undefined
  /** True if polling stopped because the service requested a pause beyond the deadline. */
  isEarly: boolean
}

interface PollOptions<T> {
  what: string
  deadline: Deadline
  pauseMs: number
  poll: () => Promise<Poll<T>>
}

/** Maximum time from the last poll to the deadline without `Retry-After`, in milliseconds. */
const maxLastPollAgeMs = 250

/**
 * Stops early if the service requests a pause beyond the deadline.
 * @throws permanent errors, and the interrupt reason
 */
export async function poll<T>(
  context: Context,
  waiting: PollOptions<T>,
): Promise<{ found: T } | WaitTimeout> {
  const { host, interrupt, statusLine } = context
  const { what, deadline, pauseMs, poll } = waiting
  const show = createProgress(context, what, deadline)
  let state: string | undefined
  try {
    for (;;) {
      let failure: MeetroomError | undefined
      try {
        const seen = await poll()
        if ('found' in seen) return seen
        state = seen.state
      } catch (error) {
        interrupt.throwIfAborted()
        if (!isTemporary(error, false)) throw error
        failure = error
      }
      show(failure?.message ?? state ?? '')
      const left = deadline.leftMs()
      const retryAfterMs = parseRetryAfter(failure?.retryAfter, host.now()) ?? 0
      if (retryAfterMs > left) return { state, failure, isEarly: true }
      const sleepMs = Math.max(retryAfterMs, Math.min(pauseMs, left - Math.min(pauseMs, maxLastPollAgeMs)))
      const isLast = sleepMs <= 0 || sleepMs >= left
      await host.sleep(isLast ? left : sleepMs, interrupt)
      if (isLast) return { state, failure, isEarly: false }
    }
  } finally {
    statusLine.clear()
  }
}

export function describeTimeout({ isEarly }: WaitTimeout, { wholeMs }: Deadline): string {
  const time = formatDuration(wholeMs)
  return isEarly ? `the service asks for a pause longer than ${time}` : `timed out after ${time}`
}

export function createTimeoutError(
  end: WaitTimeout,
  failure: MeetroomError,
  deadline: Deadline,
): MeetroomError {
  const { message, hint, status, request, body, retryAfter, requestId } = failure
  const errorTypes = [NetworkError, IncompleteError] as const
  const ErrorType = errorTypes.find((kind) => failure instanceof kind) ?? ServiceError
  const details = { hint, status, request, body, retryAfter, requestId, retryable: true, cause: failure }
  return new ErrorType(`${describeTimeout(end, deadline)}: ${message}`, details)
}

function createProgress(
  { host, flags, statusLine, redact }: Context,
  what: string,
  { wholeMs, leftMs }: Deadline,
): (soFar: string) => void {
  if (flags.quiet || !host.stderr.isTTY) return () => {}
  const whole = formatDuration(wholeMs)
  return (soFar) => {
    const gone = formatDuration(Math.floor((wholeMs - leftMs()) / 1000) * 1000)
    const line = `waiting for ${what} (${gone} of ${whole}): ${soFar}`
    // Some terminals report a width of 0.
    statusLine.show(truncate(visible(redact(line)), (host.stderr.columns || 80) - 1))
  }
}
