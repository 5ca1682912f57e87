import { describeUnrestoredByDeletion } from '../../import/unrestored.ts'
import { createTwinFinder } from '../../matching/match.ts'
import type { DesiredUser } from '../document/document.ts'
import type { Section } from '../lock/lock.ts'
import { compareFields } from './compare.ts'
import { createDifferences, createItem, describeTwin, nameOf, toCreation } from './items.ts'
import type { PlanItem } from './plan.ts'
import type { ReadList } from './state.ts'

interface UsersInput {
  desired: readonly DesiredUser[]
  state: ReadList
  section: Section
  prunes: boolean
  /** IDs of users whom the file declares as members. The plan never removes these users. */
  members: ReadonlySet<string>
}

export function planUsers(input: UsersInput): {
  writes: PlanItem[]
  removals: PlanItem[]
  others: PlanItem[]
} {
  const { desired, state } = input
  const findTwin = createTwinFinder(state.items.keys())
  const planned = desired.flatMap((user) => planUser(user, state, findTwin))
  const declared = new Set(desired.map(({ user_id }) => user_id))
  const rest = [...state.items]
    .filter(([id]) => !declared.has(id))
    .map(([id, item]) => planOther(id, nameOf(item), input))
  return {
    writes: planned,
    removals: rest.filter(({ action }) => action === 'remove'),
    others: rest.filter(({ action }) => action !== 'remove'),
  }
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
  return isComplete
    ? [
        createItem('create', subject, {
          changes: toCreation(fields),
          reason: describeTwin(user_id, findTwin(user_id)),
        }),
      ]
    : [createItem('unread', subject, { reason: 'the list of users is incomplete' })]
}

function planOther(
  id: string,
  name: string | null,
  { state, section, prunes, members }: UsersInput,
): PlanItem {
  const subject = { kind: 'user', key: id, name } as const
  const locked = section.users.get(id)
  if (!locked) return createItem('not_in_file', subject)
  const reason = locked.isProtected
    ? 'protected'
    : members.has(id)
      ? 'the file declares this user as a member'
      : !prunes
        ? 'in the lock file; --prune=users deletes the user'
        : !state.isComplete
          ? 'the list of users is incomplete'
          : undefined
  if (reason !== undefined) return createItem('not_in_file', subject, { reason })
  return createItem('remove', subject, { reason: `not restorable: ${describeUnrestoredByDeletion('users')}` })
}
