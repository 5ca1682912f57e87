import { backoff } from '../../api/backoff.ts'
import { endpoints, type Route } from '../../api/endpoints.ts'
import type { Client } from '../../client/client.ts'
import { isUnknown } from '../../client/outcome.ts'
import {
  isBusy,
  isRepeatable,
  isRetriedStatus,
  mayHaveActed,
  parseRetryAfter,
} from '../../client/retry-policy.ts'
import { MeetroomError, UnknownOutcomeError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Maximum number of retries of a request while the service is busy (429 or 503). */
const maxBusyRetries = 10
/** Maximum pause of a single refused request, in milliseconds. A longer pause applies to all requests. */
const maxOwnPauseMs = 1000
/** Backoff after a response without a Retry-After header. */
const busyBackoff = { baseMs: 200, maxMs: 300_000 }

interface BusyRetryOptions {
  /** Rate limiter that pauses all requests while the service is busy. */
  limiter: RateLimiter
  stop: AbortSignal
  /** Signal that aborts requests waiting for a retry. */
  interrupt: AbortSignal
  clock: Pick<Host, 'now' | 'random' | 'sleep'>
  onResponse: () => void
  /** Called after a 429 or 503. Returns false when a lower rate is enough, so that other requests need not pause. */
  onBusy: (status: number) => boolean
  /** Maximum Retry-After that is honored, in milliseconds. */
  timeoutMs: number
  onLongPause: () => void
}

/** Wraps a client so that its requests pause and retry while the service is busy. Reports each outcome. */
export function withBusyRetry(client: Client, options: BusyRetryOptions): Client {
  return {
    call: (name, input) => sendWithRetry(() => client.call(name, input), endpoints[name], options),
    find: (name, input) => sendWithRetry(() => client.find(name, input), endpoints[name], options),
    request: (endpoint, input) => sendWithRetry(() => client.request(endpoint, input), endpoint, options),
    serviceFacts: client.serviceFacts,
    ready: () => client.ready(),
    isService: () => client.isService(),
  }
}

/** Sends a request, and retries it while the service is busy. This function is not `async`, for speed. */
function sendWithRetry<T>(send: () => Promise<T>, route: Route, options: BusyRetryOptions): Promise<T> {
  const { limiter, stop, onResponse } = options
  const wait = limiter.passRequest(stop)
  return (wait ? wait.then(send) : send()).then(
    (result) => {
      onResponse()
      return result
    },
    (error: unknown) => retryWhileBusy(error, send, route, options),
  )
}

/** @throws {UnknownOutcomeError} when an earlier attempt may have had an effect */
async function retryWhileBusy<T>(
  firstError: unknown,
  send: () => Promise<T>,
  route: Route,
  options: BusyRetryOptions,
): Promise<T> {
  const { limiter, stop, clock, timeoutMs, interrupt, onResponse, onBusy } = options
  let error = firstError
  let mayHaveChanged = false
  for (let attempt = 0; ; attempt++) {
    if (!(error instanceof MeetroomError)) throw error
    const { status } = error
    if (status !== undefined && !isBusy(status)) onResponse()
    const pauses = status !== undefined && isBusy(status) && onBusy(status)
    mayHaveChanged ||= error.afterLostAttempt || error instanceof UnknownOutcomeError
    // A later refusal of the same POST does not prove that this attempt had no effect.
    if (route.method === 'POST' && isBusy(status))
      mayHaveChanged ||= mayHaveActed(status, false, error.retryAfter)
    const requestedMs = parseRetryAfter(error.retryAfter, clock.now())
    const isTooLong = isBusy(status) && requestedMs !== undefined && requestedMs > timeoutMs
    if (isTooLong) options.onLongPause()
    if (!isBusy(status) || isTooLong || attempt >= maxBusyRetries || stop.aborted)
      throw mayHaveChanged && !isUnknown(error) ? withUnknownOutcome(error) : error
    const pauseMs = requestedMs ?? backoff(attempt, clock.random(), busyBackoff)
    const isShared = pauses || pauseMs > maxOwnPauseMs
    if (isShared) limiter.hold(pauseMs)
    if (!isRetriedStatus(status, isRepeatable(route), error.retryAfter)) throw error
    if (!isShared) await clock.sleep(pauseMs, stop).catch(() => {})
    await limiter.passRequest(stop)
    if (interrupt.aborted && !mayHaveChanged) throw interrupt.reason
    if (stop.aborted) throw mayHaveChanged && !isUnknown(error) ? withUnknownOutcome(error) : error
    try {
      const result = await send()
      onResponse()
      return result
    } catch (next) {
      error = next
    }
  }
}

/** Converts an error to one for an unknown outcome, because an earlier attempt may have had an effect. */
function withUnknownOutcome(error: MeetroomError): UnknownOutcomeError {
  const { message, status, request, body, retryAfter, requestId } = error
  return new UnknownOutcomeError(message, { status, request, body, retryAfter, requestId, cause: error })
}
