import type { CountedOutcome } from '../../../../client/outcome.ts'
import type { Membership } from '../../../lists/memberships.ts'
import type { Printed } from '../../../output/schemas/printed.ts'
import type { Item, View } from '../../../output/views/views.ts'

export type OffboardingStep = Printed['users offboard']['steps'][number]

const fields = [
  'step',
  'user_id',
  'room_id',
  'room_name',
  'room_type',
  'member_id',
  'status',
  'reason',
] as const satisfies readonly (keyof OffboardingStep)[]

/** @param id field that `-o ids` prints */
export function stepView(id: 'member_id' | 'user_id'): View {
  const weights: Record<keyof OffboardingStep, number> = {
    ...{ step: 9, user_id: 9, room_id: 6, room_name: 7, room_type: 3, member_id: 1, status: 9, reason: 8 },
  }
  return {
    noun: ['step', 'steps'],
    id,
    columns: fields.map((field) => ({ field, weight: weights[field] })),
    fields,
  }
}

export function createRoomStep(
  step: 'block' | 'unblock',
  { user_id, room, member }: Pick<Membership, 'room'> & Partial<Membership>,
  ended: CountedOutcome & { reason?: string },
): OffboardingStep & Item {
  return {
    step,
    user_id: user_id ?? null,
    room_id: room['id'],
    room_name: room['name'],
    room_type: room['type'],
    member_id: member?.['id'] ?? null,
    status: ended.status,
    reason: describeReason(ended),
  }
}

export function createDeletionStep(
  user_id: string,
  ended: CountedOutcome & { reason?: string },
): OffboardingStep & Item {
  const nowhere = { room_id: null, room_name: null, room_type: null, member_id: null }
  return { step: 'delete', user_id, ...nowhere, status: ended.status, reason: describeReason(ended) }
}

function describeReason(ended: CountedOutcome & { reason?: string }): string | null {
  return ended.reason ?? ('error' in ended ? ended.error.message : null)
}
