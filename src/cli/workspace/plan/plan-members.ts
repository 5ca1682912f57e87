import { groupBy } from '../../../api/group-by.ts'
import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import { hasNoBlock, isBlocked } from '../../records/blocking.ts'
import { selectMembership } from '../../records/membership-plan.ts'
import type { DesiredUser } from '../document/document.ts'
import type { LockedRoom } from '../lock/lock.ts'
import { splitForCreation } from '../schema/fields.ts'
import { compareFields, type ItemComparison } from './compare.ts'
import { createDifferences, createItem, toCreation } from './items.ts'
import type { PlanItem } from './plan.ts'
import type { ReadMembers } from './state.ts'

interface MembersInput {
  room_key: string
  /** Undefined if the room does not exist yet. */
  room: Item | undefined
  desired: readonly DesiredUser[]
  state: ReadMembers
  locked: LockedRoom | undefined
  prunes: boolean
  reblocks: boolean
  /** Returns the reason why a user cannot be added; undefined if no reason is known. */
  explainMissingUser: (user_id: string) => string | undefined
}

/** Plans the members of one room. A removal is a block, because the API cannot remove members. */
export function planMembers(input: MembersInput): {
  writes: PlanItem[]
  removals: PlanItem[]
  others: PlanItem[]
} {
  const { desired, state } = input
  // A file cannot declare anonymous participants.
  const members = groupBy(state.items, (item) => toText(item['user_id']))
  members.delete('')
  const writes = desired.flatMap((member) => planMember(member, members.get(member.user_id) ?? [], input))
  const declared = new Set(desired.map(({ user_id }) => user_id))
  const rest = [...members].flatMap(([id, found]) => (declared.has(id) ? [] : planOther(id, found, input)))
  return {
    writes,
    removals: rest.filter(({ action }) => action === 'remove'),
    others: rest.filter(({ action }) => action !== 'remove'),
  }
}

function subjectOf({ room_key, room }: MembersInput, user_id: string, member: Item | undefined) {
  const room_id = room === undefined ? undefined : toText(room['id'])
  const member_id = member === undefined ? undefined : toText(member['id'])
  return { kind: 'member', key: user_id, name: null, room_key, room_id, member_id } as const
}

function planMember(
  { user_id, fields }: DesiredUser,
  found: readonly Item[],
  input: MembersInput,
): PlanItem[] {
  const { state, locked } = input
  const item = selectMembership(found, (member) => isBlockedIn(member, user_id, locked))
  const subject = subjectOf(input, user_id, item)
  if (!item) {
    if (!state.isComplete)
      return [createItem('unread', subject, { reason: 'the list of members is incomplete' })]
    const reason = input.explainMissingUser(user_id)
    if (reason !== undefined) return [createItem('cannot', subject, { reason })]
    // The request that adds a member to a room cannot contain the display name.
    const { create, update } = splitForCreation('member', fields)
    return [
      createItem('create', subject, { changes: toCreation(create) }),
      ...(Object.keys(update).length > 0
        ? [createItem('change', subject, { changes: toCreation(update) })]
        : []),
    ]
  }
  const compared = compareFields('member', fields, item)
  if (!isBlockedIn(item, user_id, locked)) return createDifferences(subject, compared)
  if (!locked?.blocks.has(user_id))
    return [
      createItem('cannot', subject, {
        reason: 'blocked by other means; “members unblock” unblocks the member',
      }),
    ]
  return createDifferences(subject, withUnblock(compared))
}

function withUnblock(compared: ItemComparison): ItemComparison {
  return { ...compared, changes: [{ field: 'is_blocked', before: true, after: false }, ...compared.changes] }
}

/** Uses the lock file if the response does not show whether the member is blocked. */
function isBlockedIn(member: Item, user_id: string, locked: LockedRoom | undefined): boolean {
  return isBlocked(member) ?? locked?.blocks.has(user_id) ?? false
}

function planOther(user_id: string, found: readonly Item[], input: MembersInput): PlanItem[] {
  const { room, state, locked, prunes } = input
  const remaining = found.filter((member) => !isBlockedIn(member, user_id, locked))
  return remaining.map((member) => {
    const subject = subjectOf(input, user_id, member)
    const record = locked?.members.get(user_id)
    if (!record && locked?.blocks.has(user_id)) return planReblock(subject, input)
    if (!record) return createItem('not_in_file', subject)
    if (record.isProtected) return createItem('not_in_file', subject, { reason: 'protected' })
    if (!prunes)
      return createItem('not_in_file', subject, {
        reason: 'in the lock file; --prune=members blocks the member',
      })
    if (!state.isComplete)
      return createItem('not_in_file', subject, { reason: 'the list of members is incomplete' })
    return planBlock(subject, room)
  })
}

type Subject = ReturnType<typeof subjectOf>

function planReblock(subject: Subject, { room, reblocks }: MembersInput): PlanItem {
  if (reblocks) return planBlock(subject, room)
  const reason = 'blocked by this file, then unblocked; --reblock blocks the member again'
  return createItem('unblocked', subject, { reason })
}

function planBlock(subject: Subject, room: Item | undefined): PlanItem {
  const type = toText(room?.['type'])
  return hasNoBlock(type)
    ? createItem('cannot', subject, {
        reason: `the API cannot remove members, and cannot block members of ${type} rooms`,
      })
    : createItem('remove', subject, {
        changes: [{ field: 'is_blocked', before: false, after: true }],
        reason: 'the API cannot remove members; the member is blocked',
      })
}
