import type { Route } from '../api/endpoints.ts'
import { TransportError } from '../api/wire.ts'
import { MeetroomError, NetworkError, ServiceError, WrongBaseUrlError } from '../errors.ts'

/** Gateway statuses after which repeatable requests are retried. Cloudflare sends 520, 522 and 524. */
const gaveUpStatuses: ReadonlySet<number> = new Set([502, 504, 520, 522, 524])

export function isBusy(status: number | undefined): status is 429 | 503 {
  return status === 429 || status === 503
}

export function isRepeatable({ method, repeatable }: Route): boolean {
  return method !== 'POST' || repeatable === true
}

/**
 * Returns true if a request can be retried. A 503 shows that nothing was processed only with a positive
 * `Retry-After`, because proxies add zero.
 */
export function isRetriedStatus(status: number, repeatable: boolean, retryAfter?: string): boolean {
  if (isBusy(status)) return repeatable || status === 429 || isPositive(retryAfter)
  return repeatable && gaveUpStatuses.has(status)
}

/**
 * Returns true if the service may have made a change in spite of this status.
 * @param isObject true for a JSON object, which makes a 500 a refusal
 */
export function mayHaveActed(status: number, isObject: boolean, retryAfter: string | undefined): boolean {
  if (status === 303 || status === 408) return true
  if (status < 500 || (status === 500 && isObject)) return false
  return status !== 503 || !isPositive(retryAfter)
}

const isPositive = (retryAfter: string | undefined) => (parseRetryAfter(retryAfter, 0) ?? 0) > 0

export function isRetriedFailure({ transient, maybeSent }: TransportError, repeatable: boolean): boolean {
  return transient && (!maybeSent || repeatable)
}

/**
 * Returns true if a later poll may succeed. A starting service may return 500.
 * @param hasResponded true if the service responded earlier, so the base URL is right
 */
export function isTemporary(error: unknown, hasResponded: boolean): error is MeetroomError {
  if (!(error instanceof MeetroomError)) return false
  const kinds = [NetworkError, ServiceError, WrongBaseUrlError]
  if (hasResponded && kinds.some((kind) => error instanceof kind)) return true
  const { cause, status = 0, retryable } = error
  return !(cause instanceof TransportError && !cause.transient) && (retryable || status >= 500)
}

/** Parses `Retry-After`, in seconds or as an HTTP date, to milliseconds after `now` (Unix milliseconds). */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  // Date.parse also accepts `1.5` and `-5` as dates.
  const date = /^[A-Za-z]{3}/.test(value) ? Date.parse(value) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
