import { findResponseProblem } from '../api/guards.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import type { WireResponse } from '../api/wire.ts'
import { describeErrorResponse } from './error-message.ts'
import type { KnownItems } from './known-items.ts'
import { readResponse } from './parsed-response.ts'

export interface ProbeResult {
  /** False only if the service refuses the key. */
  isKeyValid: boolean
  /** True if a Meeting Room Service responds, even with an error. */
  isService: boolean
}

/** Facts that a run learns about the service. A usable response makes a probe unnecessary. */
export interface ServiceFacts {
  probe?: Promise<ProbeResult>
  /** Probe after a denial of access (403), because the key may have been revoked since the last success. */
  probeAfterDenial?: Promise<ProbeResult>
  /** True after the service responded with 429 or 503. */
  isBusy?: boolean
  /** Items that a run with writes has read. */
  known?: KnownItems
  /** Undefined until the service refuses a larger size; 0 if the service refuses every `limit`. */
  pageSize?: number
  /** True after the service refused pages of a list that the API specification does not page. */
  isPagingRefused?: boolean
  /** True if the command may write. Lists must then be complete. */
  mayWrite?: boolean
  /** True if the user accepts lists with fewer items than their total. */
  allowsIncomplete?: boolean
}

export function forgetProbe(serviceFacts: ServiceFacts): void {
  delete serviceFacts.probe
  delete serviceFacts.probeAfterDenial
}

export function readProbe(response: WireResponse): ProbeResult {
  const { status } = response
  const { value } = readResponse(response)
  // Every service has a list of rooms, so “not found” means that the base URL is wrong.
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
