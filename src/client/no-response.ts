import type { WireRequest } from '../api/wire.ts'
import {
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  type RequestLine,
  UnknownOutcomeError,
} from '../errors.ts'

export interface Repeatability {
  /** True when repeating the request has no further effect. */
  repeatable: boolean
  /** True when the request changes data. Without a response, the outcome of a write is unknown. */
  write: boolean
  /** Returns a hint with a command that shows whether a write took effect. */
  check: () => Hint
  line: RequestLine
}

/** @param maybeReceived true when an attempt may have reached the service */
export function createNoResponseError(
  what: string,
  repeatability: Repeatability,
  maybeReceived: boolean,
  cause?: unknown,
): MeetroomError {
  const { write, line } = repeatability
  const message = `no response ${what}`
  if (!write || !maybeReceived) return new NetworkError(message, { request: line, retryable: true, cause })
  return createUnknownOutcomeError(message, repeatability, cause)
}

export function createUnknownOutcomeError(
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

export function createInterruptionError(
  { reason }: AbortSignal,
  { write, check, line }: Repeatability,
  maybeReceived: boolean,
): unknown {
  if (!(reason instanceof InterruptedError) || !write || !maybeReceived) return reason
  const hint = ['the change may have been made; ', check()]
  return new InterruptedError(reason.signal, { hint, request: line })
}

export function readHost({ url }: WireRequest): string {
  return new URL(url).host
}
