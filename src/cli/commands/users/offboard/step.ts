import type { CountedOutcome } from '../../../../client/outcome.ts'
import { createMemberStep, type MemberStep, readReason } from '../../../batch/member-step.ts'
import type { Membership } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'

export function createRoomStep(
  step: 'block' | 'unblock',
  { user_id, room, member }: Pick<Membership, 'room'> & Partial<Membership>,
  ended: CountedOutcome & { reason?: string },
): MemberStep & Item {
  const member_id = (member?.['id'] ?? null) as MemberStep['member_id']
  return createMemberStep({ step, user_id: user_id ?? null, room }, member_id, ended)
}

export function createDeletionStep(
  user_id: string,
  ended: CountedOutcome & { reason?: string },
): MemberStep & Item {
  const nowhere = { room_id: null, room_name: null, room_type: null, member_id: null }
  return { step: 'delete', user_id, ...nowhere, status: ended.status, reason: readReason(ended) }
}
