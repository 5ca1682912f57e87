import type { CountedOutcome } from '../../client/outcome.ts'
import type { Row } from '../output/views/rows.ts'
import type { Item } from '../output/views/views.ts'

/** Row for one member in a command that changes the members of many rooms. */
export type MemberStep = Row<'steps'>

type EndedStep = CountedOutcome & { reason?: string }

export function createMemberStep(
  { step, user_id, room }: Pick<MemberStep, 'step' | 'user_id'> & { room: Item },
  member_id: MemberStep['member_id'],
  ended: EndedStep,
): MemberStep & Item {
  return {
    step,
    user_id,
    room_id: room['id'],
    room_name: room['name'],
    room_type: room['type'],
    member_id,
    status: ended.status,
    reason: readReason(ended),
  }
}

export function readReason(ended: EndedStep): string | null {
  return ended.reason ?? ('error' in ended ? ended.error.message : null)
}
