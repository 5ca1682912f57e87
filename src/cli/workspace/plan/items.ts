import { toText } from '../../../api/to-text.ts'
import { hasOtherCase } from '../../matching/match.ts'
import type { Item } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'
import type { ItemComparison } from './compare.ts'
import type { FieldChange, PlanAction, PlanItem } from './plan.ts'

type Subject = Pick<PlanItem, 'kind' | 'key' | 'name'> & Partial<PlanItem>

export function createItem(
  action: PlanAction,
  subject: Subject,
  rest: { changes?: readonly FieldChange[]; reason?: string | undefined } = {},
): PlanItem {
  return {
    action,
    kind: subject.kind,
    key: subject.key,
    room_key: subject.room_key ?? null,
    room_id: subject.room_id,
    member_id: subject.member_id,
    name: subject.name,
    changes: rest.changes ?? [],
    reason: rest.reason ?? null,
  }
}

export function createDifferences(
  subject: Subject,
  { changes, fixed, notShown }: ItemComparison,
): PlanItem[] {
  return [
    ...(changes.length > 0 ? [createItem('change', subject, { changes })] : []),
    ...(fixed.length > 0
      ? [
          createItem('cannot', subject, {
            changes: fixed,
            reason: `${listFields(fixed)} can be set only at creation`,
          }),
        ]
      : []),
    ...(notShown.length > 0
      ? [createItem('not_shown', subject, { reason: `the service does not show ${notShown.join(', ')}` })]
      : []),
  ]
}

const listFields = (changes: readonly FieldChange[]) => changes.map(({ field }) => field).join(', ')

export function toCreation(fields: Item): FieldChange[] {
  return Object.entries(fields).map(([field, after]) => ({ field, after }))
}

/** Describes an existing name or ID that `createTwinFinder` found. */
export function describeTwin(name: string, twin: string | undefined): string | undefined {
  if (twin === undefined) return undefined
  return `“${twin}” exists and differs only by ${hasOtherCase(name, twin) ? 'letter case' : 'leading zeros'}`
}

export function nameOf(item: Item | undefined): string | null {
  return item === undefined ? null : toText(item['name']) || null
}

export const kindPlurals: Readonly<Record<Kind, 'users' | 'rooms' | 'members'>> = {
  user: 'users',
  room: 'rooms',
  member: 'members',
}
