import { groupBy } from '../../../api/group-by.ts'
import { toText } from '../../../api/to-text.ts'
import type { Item } from '../../output/views/views.ts'
import { hasNoBlock, isBlocked } from '../../records/blocking.ts'
import { selectMembership } from '../../records/membership-plan.ts'
import type { DesiredUser } from '../document/document.ts'
import type { LockedRoom } from '../lock/lock.ts'
import { splitForCreation } from '../schema/fields.ts'
import { compareFields } from './compare.ts'
import {
  createDifferences,
  createItem,
  groupPlanned,
  type PlannedItems,
  planKept,
  toCreation,
} from './items.ts'
import type { PlanItem, ReadMembers } from './plan.ts'

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
export function planMembers(input: MembersInput): PlannedItems {
  const { desired, state } = input
  // A file cannot declare anonymous participants.
  const members = groupBy(state.items, (item) => toText(item['user_id']))
  members.delete('')
  const writes = desired.flatMap((member) => planMember(member, members.get(member.user_id) ?? [], input))
  const declared = new Set(desired.map(({ user_id }) => user_id))
  const rest = [...members].flatMap(([id, found]) => (declared.has(id) ? [] : planOther(id, found, input)))
  return groupPlanned(writes, rest)
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
    const creation = createItem('create', subject, { changes: toCreation(create) })
    const changes = toCreation(update)
    return changes.length > 0 ? [creation, createItem('change', subject, { changes })] : [creation]
  }
  const compared = compareFields('member', fields, item)
  if (isBlockedIn(item, user_id, locked)) {
    const reason = 'blocked by other means; “members unblock” unblocks the member'
    if (!locked?.blocks.has(user_id)) return [createItem('cannot', subject, { reason })]
    compared.changes.unshift({ field: 'is_blocked', before: true, after: false })
  }
  return createDifferences(subject, compared)
}

/** Uses the lock file if the response does not show whether the member is blocked. */
function isBlockedIn(member: Item, user_id: string, locked: LockedRoom | undefined): boolean {
  return isBlocked(member) ?? locked?.blocks.has(user_id) ?? false
}

function planOther(user_id: string, found: readonly Item[], input: MembersInput): PlanItem[] {
  const { room, state, locked, prunes, reblocks } = input
  const remaining = found.filter((member) => !isBlockedIn(member, user_id, locked))
  return remaining.map((member) => {
    const subject = subjectOf(input, user_id, member)
    const record = locked?.members.get(user_id)
    if (!record && locked?.blocks.has(user_id)) {
      const reason = 'blocked by this file, then unblocked; --reblock blocks the member again'
      return reblocks ? planBlock(subject, room) : createItem('unblocked', subject, { reason })
    }
    if (!record) return createItem('not_in_file', subject)
    return planKept(subject, record, prunes, state.isComplete) ?? planBlock(subject, room)
  })
}

function planBlock(subject: ReturnType<typeof subjectOf>, room: Item | undefined): PlanItem {
  const type = toText(room?.['type'])
  const cannot = `the API cannot remove members, and cannot block members of ${type} rooms`
  if (hasNoBlock(type)) return createItem('cannot', subject, { reason: cannot })
  const changes = [{ field: 'is_blocked', before: false, after: true }]
  return createItem('remove', subject, {
    changes,
    reason: 'the API cannot remove members; the member is blocked',
  })
}
