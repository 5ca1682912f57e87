import { describeUnrestoredByDeletion } from '../../import/unrestored.ts'
import { createTwinFinder } from '../../matching/match.ts'
import type { DesiredUser } from '../document/document.ts'
import type { Section } from '../lock/lock.ts'
import { compareFields } from './compare.ts'
import {
  createDifferences,
  createItem,
  describeTwin,
  groupPlanned,
  nameOf,
  type PlannedItems,
  planKept,
  toCreation,
} from './items.ts'
import type { PlanItem, ReadList } from './plan.ts'

interface UsersInput {
  desired: readonly DesiredUser[]
  state: ReadList
  section: Section
  prunes: boolean
  /** IDs of users whom the file declares as members. The plan never removes these users. */
  members: ReadonlySet<string>
}

export function planUsers(input: UsersInput): PlannedItems {
  const { desired, state } = input
  const findTwin = createTwinFinder(state.items.keys())
  const declared = new Set(desired.map(({ user_id }) => user_id))
  const rest = [...state.items].filter(([id]) => !declared.has(id))
  const protectedMembers = findProtectedMembers(input.section)
  return groupPlanned(
    desired.flatMap((user) => planUser(user, state, findTwin)),
    rest.map(([id, item]) => planOther(id, nameOf(item), input, protectedMembers)),
  )
}

function planUser(
  { user_id, fields }: DesiredUser,
  { items, isComplete }: ReadList,
  findTwin: (id: string) => string | undefined,
): PlanItem[] {
  const item = items.get(user_id)
  const declaredName = typeof fields['name'] === 'string' ? fields['name'] : null
  const subject = { kind: 'user', key: user_id, name: nameOf(item) ?? declaredName } as const
  if (item) return createDifferences(subject, compareFields('user', fields, item))
  if (!isComplete) return [createItem('unread', subject, { reason: 'the list of users is incomplete' })]
  const reason = describeTwin(user_id, findTwin(user_id))
  return [createItem('create', subject, { changes: toCreation(fields), reason })]
}

function planOther(
  id: string,
  name: string | null,
  { state, section, prunes, members }: UsersInput,
  protectedMembers: ReadonlySet<string>,
): PlanItem {
  const subject = { kind: 'user', key: id, name } as const
  const locked = section.users.get(id)
  if (!locked) return createItem('not_in_file', subject)
  if (members.has(id) && !locked.isProtected)
    return createItem('not_in_file', subject, { reason: 'the file declares this user as a member' })
  const reason = `not restorable: ${describeUnrestoredByDeletion('users')}`
  const protectedMember = protectedMembers.has(id) && 'is a protected member of a room'
  return (
    planKept(subject, locked, prunes, state.isComplete, protectedMember) ??
    createItem('remove', subject, { reason })
  )
}

/** Returns the user IDs of the members whom a file protects in a room. */
function findProtectedMembers({ rooms }: Section): Set<string> {
  const records = [...rooms.values()].flatMap(({ members }) => [...members])
  return new Set(records.flatMap(([id, { isProtected }]) => (isProtected ? [id] : [])))
}
