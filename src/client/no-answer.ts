import type { WireRequest } from '../api/wire.ts'
import {
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  type RequestLine,
  UnknownOutcomeError,
} from '../errors.ts'

/** What the failure of a request means depends on. */
export interface Repeatability {
  /** Whether doing it twice is the same as doing it once. */
  repeatable: boolean
  /** Whether it changes anything: a lost answer then means an unknown outcome. */
  write: boolean
  /** How to find out whether a write took effect; asked only when that is the question. */
  check: () => Hint
  line: RequestLine
}

/**
 * That no answer came.
 * @param what from whom, and why
 * @param lost an attempt may have reached the service
 */
export function noResponseError(
  what: string,
  repeatability: Repeatability,
  lost: boolean,
  cause?: unknown,
): MeetroomError {
  const { write, line } = repeatability
  const message = `no answer ${what}`
  if (!write || !lost) return new NetworkError(message, { request: line, retryable: true, cause })
  return unknownOutcomeError(message, repeatability, cause)
}

/** That a write may have been made. */
export function unknownOutcomeError(
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
export function interruptionError(
  { reason }: AbortSignal,
  { write, check, line }: Repeatability,
  lost: boolean,
): unknown {
  if (!(reason instanceof InterruptedError) || !write || !lost) return reason
  const hint = ['the change may have been made; ', check()]
  return new InterruptedError(reason.signal, { hint, request: line })
}

/** Host and port of a request. */
export function hostOf({ url }: WireRequest): string {
  return new URL(url).host
}
