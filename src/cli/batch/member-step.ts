import type { CountedOutcome } from '../../client/outcome.ts'
import type { Printed } from '../output/schemas/printed.ts'
import type { Item, View } from '../output/views/views.ts'

/** Row for one member in a command that changes the members of many rooms. */
export type MemberStep = Printed['users offboard']['steps'][number]

const fields = [
  'step',
  'user_id',
  'room_id',
  'room_name',
  'room_type',
  'member_id',
  'status',
  'reason',
] as const satisfies readonly (keyof MemberStep)[]

/** @param id field that `-o ids` prints */
export function stepView(id: 'member_id' | 'user_id'): View {
  const weights: Record<keyof MemberStep, number> = {
    ...{ step: 9, user_id: 9, room_id: 6, room_name: 7, room_type: 3, member_id: 1, status: 9, reason: 8 },
  }
  return {
    noun: ['step', 'steps'],
    id,
    columns: fields.map((field) => ({ field, weight: weights[field] })),
    fields,
  }
}

type EndedStep = CountedOutcome & { reason?: string }

export function createMemberStep(
  { step, user_id, room }: Pick<MemberStep, 'step' | 'user_id'> & { room: Item },
  member_id: MemberStep['member_id'],
  ended: EndedStep,
): MemberStep & Item {
  return {
    step,
    user_id,
    room_id: room['id'] as MemberStep['room_id'],
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
