import type { Client } from '../../client/client.ts'
import { isUnknown } from '../../client/outcome.ts'
import { parseRetryAfter } from '../../client/retry-after.ts'
import { MeetroomError, UnknownOutcomeError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** How often something is tried again that the service is too busy for. */
const patience = 10
/** Longest pause where the service asks for none, in milliseconds. */
const longestBackoffMs = 300_000

interface Run {
  /** Held back as long as the service is busy. */
  gate: RateLimiter
  /** Aborted: nothing is tried again. */
  stop: AbortSignal
  clock: Pick<Host, 'now'>
  /** Longest pause that the service may ask for, in milliseconds: that of one request with its retries. */
  timeoutMs: number
  /** Called when it asks for a longer one. */
  onLongPause: () => void
}

/** A client that asks again, and holds everybody back meanwhile, as long as the service is busy. */
export function withBusyRetry(client: Client, run: Run): Client {
  return {
    call: (name, input) => patiently(() => client.call(name, input), run),
    request: (endpoint, input) => patiently(() => client.request(endpoint, input), run),
    seen: client.seen,
    ready: () => client.ready(),
    isService: () => client.isService(),
  }
}

/** Nearly all is done at the first try, and that costs little. */
function patiently<T>(ask: () => Promise<T>, run: Run): Promise<T> {
  return ask().catch((error: unknown) => askAgain(error, ask, run))
}

/** @throws {UnknownOutcomeError} when an attempt before the last may have changed something */
async function askAgain<T>(cause: unknown, ask: () => Promise<T>, run: Run): Promise<T> {
  const { gate, stop, clock, timeoutMs } = run
  let error = cause
  let lost = false
  for (let attempt = 0; ; attempt++) {
    if (!(error instanceof MeetroomError)) throw error
    lost ||= error.afterLostAttempt || error instanceof UnknownOutcomeError
    const asked = parseRetryAfter(error.retryAfter, clock.now())
    const isTooLong = isBusy(error.status) && asked !== undefined && asked > timeoutMs
    if (isTooLong) run.onLongPause()
    if (!isBusy(error.status) || isTooLong || attempt >= patience || stop.aborted)
      throw lost && !isUnknown(error) ? withUnknownOutcome(error) : error
    gate.hold(asked ?? Math.min(longestBackoffMs, 500 * 2 ** attempt))
    await gate.pass(stop)
    try {
      return await ask()
    } catch (next) {
      error = next
    }
  }
}

/** The service takes no more for now. */
export function isBusy(status: number | undefined): boolean {
  return status === 429 || status === 503
}

/** The last attempt failed without effect, and one before it may have had one. */
function withUnknownOutcome(error: MeetroomError): UnknownOutcomeError {
  const { message, status, request, body, retryAfter } = error
  return new UnknownOutcomeError(message, { status, request, body, retryAfter, cause: error })
}
