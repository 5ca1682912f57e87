import { toText } from '../../../api/to-text.ts'
import { hasOtherCase } from '../../matching/match.ts'
import type { Item } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'
import type { LockedItem } from '../lock/lock.ts'
import type { ItemComparison } from './compare.ts'
import type { FieldChange, PlanAction, PlanItem } from './plan.ts'

type Subject = Pick<PlanItem, 'kind' | 'key' | 'name'> & Partial<PlanItem>

export function createItem(
  action: PlanAction,
  { kind, key, room_key = null, room_id, member_id, candidates, name }: Subject,
  { changes = [], reason = null }: { changes?: readonly FieldChange[]; reason?: string | null } = {},
): PlanItem {
  return { action, kind, key, room_key, room_id, member_id, candidates, name, changes, reason }
}

export function createDifferences(
  subject: Subject,
  { changes, fixed, notShown }: ItemComparison,
): PlanItem[] {
  const items: PlanItem[] = []
  if (changes.length > 0) items.push(createItem('change', subject, { changes }))
  if (fixed.length > 0) {
    const reason = `${fixed.map(({ field }) => field).join(', ')} can be set only at creation`
    items.push(createItem('cannot', subject, { changes: fixed, reason }))
  }
  if (notShown.length > 0)
    items.push(
      createItem('not_shown', subject, { reason: `the service does not show ${notShown.join(', ')}` }),
    )
  return items
}

export interface PlannedItems {
  writes: PlanItem[]
  removals: PlanItem[]
  others: PlanItem[]
}

/** @param undeclared planned items that the file does not declare */
export function groupPlanned(writes: PlanItem[], undeclared: readonly PlanItem[]): PlannedItems {
  const isRemoval = ({ action }: PlanItem) => action === 'remove'
  return {
    writes,
    removals: undeclared.filter(isRemoval),
    others: undeclared.filter((item) => !isRemoval(item)),
  }
}

const removals = { user: 'deletes the user', room: 'deletes the room', member: 'blocks the member' } as const

/**
 * Plans a recorded item that the file does not declare. Returns undefined if the item must be removed.
 * @param protectedMember reason to keep an item whose removal would remove a protected member
 */
export function planKept(
  subject: Subject,
  { isProtected }: LockedItem,
  prunes: boolean,
  isComplete: boolean,
  protectedMember?: string | false,
): PlanItem | undefined {
  const plural = kindPlurals[subject.kind]
  const keep = (reason: string) => createItem('not_in_file', subject, { reason })
  if (isProtected) return keep('protected')
  if (protectedMember) return keep(protectedMember)
  if (!prunes) return keep(`in the lock file; --prune=${plural} ${removals[subject.kind]}`)
  return isComplete ? undefined : keep(`the list of ${plural} is incomplete`)
}

export function toCreation(fields: Item): FieldChange[] {
  return Object.entries(fields).map(([field, after]) => ({ field, after }))
}

/** Describes an existing name or ID that `createTwinFinder` found. */
export function describeTwin(name: string, twin: string | undefined): string | null {
  if (twin === undefined) return null
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
