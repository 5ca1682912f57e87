import type { CountedOutcome } from '../../../../client/outcome.ts'
import { createMemberStep, type MemberStep } from '../../../batch/member-step.ts'
import type { Membership } from '../../../lists/memberships.ts'
import type { Item } from '../../../output/views/views.ts'

export function createRoomStep(
  step: 'block' | 'unblock',
  { user_id, room, member }: Pick<Membership, 'room'> & Partial<Membership>,
  ended: CountedOutcome & { reason?: string },
): MemberStep & Item {
  return createMemberStep({ step, user_id: user_id ?? null, room }, member?.['id'] ?? null, ended)
}

export function createDeletionStep(
  user_id: string,
  ended: CountedOutcome & { reason?: string },
): MemberStep & Item {
  return createMemberStep(
    { step: 'delete', user_id, room: { id: null, name: null, type: null } },
    null,
    ended,
  )
}
