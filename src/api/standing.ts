import { errorWords } from './error-words.ts'
import { problemOf } from './guards.ts'
import { createReader } from './received.ts'
import { unknownOperation } from './vocabulary.ts'
import type { WireResponse } from './wire.ts'

/** What the answer to `GET /rooms?limit=1` shows about the service. */
export interface Standing {
  /** The service accepts the key. Anything unclear counts as yes. */
  keyWorks: boolean
  /** It is a Meeting Room Service: it may refuse the key, be busy or fail, but it answers as one. */
  isService: boolean
}

/** What a run has found out about its service: one question, and none after an answer that can be used. */
export interface Seen {
  standing?: Promise<Standing>
  /** What a probe said after the service had denied access (403): the key may have been withdrawn since the last good answer. */
  afterDenial?: Promise<Standing>
  /** The most items that it gives at once, where it refused to give as many as it was asked for. */
  pageSize?: number
}

/** Makes the next refusal probe the service again: what it was like a while ago says little. */
export function forgetStanding(seen: Seen): void {
  delete seen.standing
  delete seen.afterDenial
}

/** Reads the answer to the probe. */
export function readStanding(answer: WireResponse): Standing {
  const { status } = answer
  const { value } = createReader()(answer)
  // Every service knows the list of rooms: one that does not is asked at the wrong path.
  const isUnknown = status === 400 && ['not_found', unknownOperation].includes(errorWords(answer).code ?? '')
  const isElsewhere = status < 400 || status === 404 || status === 405 || isUnknown
  return {
    keyWorks: isUnknown || ![400, 401, 403].includes(status),
    isService:
      status < 300 ? problemOf('listRooms', value) === undefined : value !== undefined && !isElsewhere,
  }
}
