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
  probe: () => Promise<ProbeResult>
  /** Probes the service again after it denied access, once per run. */
  probeAfterDenial: () => Promise<ProbeResult>
  userExists: (user_id: string) => Promise<boolean>
  /** Returns a hint that shows whether a write took effect. */
  check: () => Hint
}

export interface ParsedErrorResponse extends ErrorResponse {
  description: ErrorDescription
  /** Message of the service after a colon, or empty. */
  message: string
  details: ErrorDetails & { status: number; request: RequestLine }
}
