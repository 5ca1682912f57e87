import { findResponseProblem } from '../api/guards.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import type { WireResponse } from '../api/wire.ts'
import { errorWords } from './error-message.ts'
import { createResponseReader } from './parsed-response.ts'

/** What the answer to `GET /rooms?limit=1` shows about the service. */
export interface ProbeResult {
  /** The service accepts the key. Anything unclear counts as yes. */
  keyWorks: boolean
  /** It is a Meeting Room Service: it may refuse the key, be busy or fail, but it answers as one. */
  isService: boolean
}

/** What a run has found out about its service: one question, and none after an answer that can be used. */
export interface ServiceFacts {
  standing?: Promise<ProbeResult>
  /** What a probe said after the service had denied access (403): the key may have been withdrawn since the last good answer. */
  afterDenial?: Promise<ProbeResult>
  /** The most items that it gives at once, where it refused to give as many as it was asked for. */
  pageSize?: number
}

/** Makes the next refusal probe the service again: what it was like a while ago says little. */
export function forgetStanding(seen: ServiceFacts): void {
  delete seen.standing
  delete seen.afterDenial
}

/** Reads the answer to the probe. */
export function readProbe(answer: WireResponse): ProbeResult {
  const { status } = answer
  const { value } = createResponseReader()(answer)
  // Every service knows the list of rooms: one that does not is asked at the wrong path.
  const isUnknown = status === 400 && ['not_found', unknownOperation].includes(errorWords(answer).code ?? '')
  const isElsewhere = status < 400 || status === 404 || status === 405 || isUnknown
  return {
    keyWorks: isUnknown || ![400, 401, 403].includes(status),
    isService:
      status < 300
        ? findResponseProblem('listRooms', value) === undefined
        : value !== undefined && !isElsewhere,
  }
}
