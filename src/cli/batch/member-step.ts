import type { CountedOutcome } from '../../client/outcome.ts'
import type { Row } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'

/** Row for one member in a command that changes the members of many rooms. */
export type MemberStep = Row<'steps'>

type EndedStep = CountedOutcome & { reason?: string }

/** Place of a step that concerns a user in all rooms. */
export const everywhere: Item = { id: null, name: null, type: null }

export function createMemberStep(
  step: MemberStep['step'],
  { user_id = null, room, member }: { user_id?: string | null; room: Item; member?: Item },
  ended: EndedStep,
): MemberStep & Item {
  const { id: room_id, name: room_name, type: room_type } = room
  const member_id = member?.['id'] ?? null
  const { status } = ended
  return { step, user_id, room_id, room_name, room_type, member_id, status, reason: readReason(ended) }
}

export function readReason(ended: EndedStep): string | null {
  return ended.reason ?? ('error' in ended ? ended.error.message : null)
}
