import type { Client } from '../../client/client.ts'
import { isUnknown } from '../../client/outcome.ts'
import { parseRetryAfter } from '../../client/retry-after.ts'
import { MeetroomError, UnknownOutcomeError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Maximum number of retries of a request while the service is busy (429 or 503). */
const maxBusyRetries = 10
/** Maximum backoff without a Retry-After header, in milliseconds. */
const maxBackoffMs = 300_000

interface BusyRetryOptions {
  /** Rate limiter that pauses all requests while the service is busy. */
  limiter: RateLimiter
  stop: AbortSignal
  clock: Pick<Host, 'now'>
  /** Maximum Retry-After that is honored, in milliseconds. */
  timeoutMs: number
  onLongPause: () => void
}

/** Wraps a client so that a busy service delays and retries all its requests. */
export function withBusyRetry(client: Client, options: BusyRetryOptions): Client {
  return {
    call: (name, input) => sendWithRetry(() => client.call(name, input), options),
    request: (endpoint, input) => sendWithRetry(() => client.request(endpoint, input), options),
    seen: client.seen,
    ready: () => client.ready(),
    isService: () => client.isService(),
  }
}

/** Avoids an async function on the path without errors, for speed. */
function sendWithRetry<T>(send: () => Promise<T>, options: BusyRetryOptions): Promise<T> {
  return send().catch((error: unknown) => retryWhileBusy(error, send, options))
}

/** @throws {UnknownOutcomeError} when an earlier attempt may have changed something */
async function retryWhileBusy<T>(
  firstError: unknown,
  send: () => Promise<T>,
  options: BusyRetryOptions,
): Promise<T> {
  const { limiter, stop, clock, timeoutMs } = options
  let error = firstError
  let mayHaveChanged = false
  for (let attempt = 0; ; attempt++) {
    if (!(error instanceof MeetroomError)) throw error
    mayHaveChanged ||= error.afterLostAttempt || error instanceof UnknownOutcomeError
    const requestedMs = parseRetryAfter(error.retryAfter, clock.now())
    const isTooLong = isBusy(error.status) && requestedMs !== undefined && requestedMs > timeoutMs
    if (isTooLong) options.onLongPause()
    if (!isBusy(error.status) || isTooLong || attempt >= maxBusyRetries || stop.aborted)
      throw mayHaveChanged && !isUnknown(error) ? withUnknownOutcome(error) : error
    limiter.hold(requestedMs ?? Math.min(maxBackoffMs, 500 * 2 ** attempt))
    await limiter.pass(stop)
    try {
      return await send()
    } catch (next) {
      error = next
    }
  }
}

export function isBusy(status: number | undefined): boolean {
  return status === 429 || status === 503
}

/** Marks the outcome as unknown: an earlier attempt may have had an effect. */
function withUnknownOutcome(error: MeetroomError): UnknownOutcomeError {
  const { message, status, request, body, retryAfter } = error
  return new UnknownOutcomeError(message, { status, request, body, retryAfter, cause: error })
}
