import { counted, listNames } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import { ApiError, type MeetroomError } from '../../../../errors.ts'
import type { Item } from '../../../output/views/views.ts'
import type { Tally } from '../../../pool/tally.ts'

const maxNamedRooms = 10

export function hintAtMissingRooms(rooms: readonly Item[]): string | undefined {
  if (rooms.length === 0) return undefined
  const ids = rooms.map(({ id }) => toText(id))
  return `not in the report: ${listNames(ids, maxNamedRooms)}`
}

/** Summarizes a report: `reported on 3 rooms`, or `reported on 2 of 3 rooms; 1 failed`. */
export function summarizeReport(tally: Tally): string {
  const done = tally.count('ok')
  if (tally.isComplete) return `reported on ${counted(done, 'room')}`
  const untried = tally.untried > 0 ? `, ${tally.untried} not tried` : ''
  return `reported on ${done} of ${tally.total} rooms; ${tally.bad} failed${untried}`
}

/** Returns the error of a report without a successful room. Uses the code of the room errors if all codes are equal. */
export function commonError(error: MeetroomError, failures: readonly MeetroomError[]): MeetroomError {
  const [first] = failures
  if (!(error instanceof ApiError) || !first) return error
  if (failures.some(({ code, exitCode }) => code !== first.code || exitCode !== first.exitCode)) return error
  const Kind = first.constructor as new (...of: ConstructorParameters<typeof ApiError>) => MeetroomError
  return new Kind(error.message, { hint: error.hint, status: first.status, retryable: first.retryable })
}
