import { describeReason, noTlsCode } from '../api/connection-failure.ts'
import { isLoopback } from '../api/loopback.ts'
import type { WireRequest } from '../api/wire.ts'
import {
  type ErrorDetails,
  type Hint,
  InterruptedError,
  type MeetroomError,
  NetworkError,
  type RequestLine,
  suggest,
  UnknownOutcomeError,
} from '../errors.ts'

export interface Repeatability {
  repeatable: boolean
  write: boolean
  /** Returns advice on checking whether a write took effect. */
  check: () => Hint
  diagnose?: (cause: unknown) => Pick<ErrorDetails, 'hint' | 'correction'>
  line: RequestLine
}

/** Suggests http for a service on this machine that does not speak TLS, otherwise `doctor`. */
export function diagnose(baseUrl: string, cause: unknown): Pick<ErrorDetails, 'hint' | 'correction'> {
  const isWithoutTls = cause instanceof Error && cause.message === describeReason(noTlsCode)
  return isWithoutTls && isLoopback(new URL(baseUrl).hostname)
    ? { correction: [baseUrl, baseUrl.replace(/^https/, 'http')] }
    : { hint: diagnosis }
}

export const diagnosis: Hint = ['find the cause with: ', suggest(['doctor'])]

export function explainBaseUrl(baseUrl: string): Hint {
  return /\/v\d+\/?$/.test(baseUrl)
    ? diagnosis
    : `a base URL ends in the version, as in ${/^https?:\/\/[^/]+\/?$/.test(baseUrl) ? baseUrl.replace(/\/?$/, '') : 'https://meet.example.com'}/v1`
}

export function createNoResponseError(
  what: string,
  repeatability: Repeatability,
  maybeReceived: boolean,
  cause?: unknown,
): MeetroomError {
  const { write, line, diagnose } = repeatability
  const message = `no response ${what}`
  if (!write || !maybeReceived)
    return new NetworkError(message, { request: line, retryable: true, cause, ...diagnose?.(cause) })
  return createUnknownOutcomeError(message, repeatability, cause)
}

export function createUnknownOutcomeError(message: string, { check, line }: Repeatability, cause: unknown) {
  return new UnknownOutcomeError(`${message}; the outcome of the change is unknown`, {
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
