import type { Outcome } from '../../client/outcome.ts'
import type { RowOf } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'

export type MemberStep = RowOf<'steps'>

/** Placeholder for the room of a step that concerns a user in all rooms. */
export const everywhere: Item = { id: null, name: null, type: null }

export function createMemberStep(
  step: MemberStep['step'],
  { user_id = null, room, member }: { user_id?: string | null; room: Item; member?: Item },
  ended: Outcome<unknown>,
): MemberStep & Item {
  const { id: room_id, name: room_name, type: room_type } = room
  const member_id = member?.['id'] ?? null
  const { status } = ended
  return { step, user_id, room_id, room_name, room_type, member_id, status, reason: readReason(ended) }
}

export function readReason(ended: Outcome<unknown>): string | null {
  if ('error' in ended) return ended.error.message
  return 'reason' in ended ? (ended.reason ?? null) : null
}
