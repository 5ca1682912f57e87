import type { WireRequest } from '../api/wire.ts'
import {
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  type RequestLine,
  UnknownOutcomeError,
} from '../errors.ts'

/** Properties of a request that decide what its failure means. */
export interface Repeatability {
  /** True when a repetition has no further effect. */
  repeatable: boolean
  /** True when the request changes data: without a response, its outcome is unknown. */
  write: boolean
  /** Returns a hint that shows whether a write took effect. Called only when needed. */
  check: () => Hint
  line: RequestLine
}

/** @param maybeReceived true when an attempt may have reached the service */
export function noResponseError(
  what: string,
  repeatability: Repeatability,
  maybeReceived: boolean,
  cause?: unknown,
): MeetroomError {
  const { write, line } = repeatability
  const message = `no answer ${what}`
  if (!write || !maybeReceived) return new NetworkError(message, { request: line, retryable: true, cause })
  return unknownOutcomeError(message, repeatability, cause)
}

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

/** Creates the error for an interrupted request; for a write that may have been sent, with a hint to check it. */
export function interruptionError(
  { reason }: AbortSignal,
  { write, check, line }: Repeatability,
  maybeReceived: boolean,
): unknown {
  if (!(reason instanceof InterruptedError) || !write || !maybeReceived) return reason
  const hint = ['the change may have been made; ', check()]
  return new InterruptedError(reason.signal, { hint, request: line })
}

export function hostOf({ url }: WireRequest): string {
  return new URL(url).host
}
