import type { Route } from '../api/endpoints.ts'
import type { ErrorDetails, Hint, RequestLine } from '../errors.ts'
import type { ErrorWords } from './error-message.ts'
import type { ProbeResult } from './probe.ts'
import type { AnyInput } from './request.ts'
import type { FinalResponse } from './retry.ts'

/** An answer that is not a success, with the ways to find out more about it. */
export interface ErrorResponse {
  answer: FinalResponse
  line: RequestLine
  endpoint: Route
  input: AnyInput
  baseUrl: string
  /** Asks the cheapest question there is, once per run. */
  standing: () => Promise<ProbeResult>
  /** Asks the same after the service denied access, once per run, whatever it answered before. */
  afterDenial: () => Promise<ProbeResult>
  /** Whether a user exists. */
  userExists: (user_id: string) => Promise<boolean>
  /** How to find out whether a write took effect. */
  check: () => Hint
}

/** Its words and code. */
export interface ParsedErrorResponse extends ErrorResponse {
  words: ErrorWords
  /** What the service says, after a colon; empty when it says nothing. */
  said: string
  details: ErrorDetails & { status: number; request: RequestLine }
}
