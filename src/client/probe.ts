import { findResponseProblem } from '../api/guards.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import type { WireResponse } from '../api/wire.ts'
import { describeErrorResponse } from './error-message.ts'
import type { KnownItems } from './known-items.ts'
import { readResponse } from './parsed-response.ts'

export interface ProbeResult {
  isKeyValid: boolean
  /** Also true for most error responses in JSON. */
  isService: boolean
}

export interface ServiceFacts {
  probe?: Promise<ProbeResult>
  /** Separate probe after a 403, because the key may have been revoked. */
  probeAfterDenial?: Promise<ProbeResult>
  isBusy?: boolean
  known?: KnownItems
  /** Undefined until the service refuses a larger size; 0 if the service refuses every `limit`. */
  pageSize?: number
  /** True after the service refused pages of a list that the API specification does not page. */
  isPagingRefused?: boolean
  /** True if lists must be complete, because the command may write. */
  mayWrite?: boolean
  allowsIncomplete?: boolean
}

export function forgetProbe(serviceFacts: ServiceFacts): void {
  delete serviceFacts.probe
  delete serviceFacts.probeAfterDenial
}

export function readProbe(response: WireResponse): ProbeResult {
  const { status } = response
  const { value } = readResponse(response)
  // Every service has a list of rooms, so “not found” means a wrong base URL.
  const isUnknown =
    status === 400 && ['not_found', unknownOperation].includes(describeErrorResponse(response).code ?? '')
  const isWrongPath = status < 400 || status === 404 || status === 405 || isUnknown
  return {
    isKeyValid: isUnknown || ![400, 401, 403].includes(status),
    isService:
      status < 300
        ? findResponseProblem('listRooms', value) === undefined
        : value !== undefined && !isWrongPath,
  }
}
