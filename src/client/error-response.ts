import type { Route } from '../api/endpoints.ts'
import type { ErrorDetails, Hint, RequestLine } from '../errors.ts'
import type { ErrorDescription } from './error-message.ts'
import type { ProbeResult } from './probe.ts'
import type { AnyInput } from './request.ts'
import type { FinalResponse } from './retry.ts'

export interface ErrorResponse {
  response: FinalResponse
  line: RequestLine
  endpoint: Route
  input: AnyInput
  baseUrl: string
  /** Advice on a refused key; undefined for the default advice. */
  keyHint: Hint | undefined
  probe: () => Promise<ProbeResult>
  probeAfterDenial: () => Promise<ProbeResult>
  userExists: (user_id: string) => Promise<boolean>
  check: () => Hint
}

export interface ParsedErrorResponse extends ErrorResponse {
  description: ErrorDescription
  /** Message of the service after a colon; empty without a message. */
  message: string
  details: ErrorDetails & { status: number; request: RequestLine }
}
