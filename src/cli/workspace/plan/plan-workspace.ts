import { toText } from '../../../api/to-text.ts'
import { ConfirmationError } from '../../../errors.ts'
import type { DesiredRoom, WorkspaceDocument } from '../document/document.ts'
import type { Section } from '../lock/lock.ts'
import { kindPlurals } from './items.ts'
import type { Plan, PlanItem, PlanOptions, PruneGuard, PruneKind, WorkspaceState } from './plan.ts'
import { planMembers } from './plan-members.ts'
import { type PlannedRoom, planRooms } from './plan-rooms.ts'
import { planUsers } from './plan-users.ts'

/** Number of removals of a kind up to which no share needs `--allow-large`. */
const maxUnconfirmed = 3
/** Share of a kind's recorded items, from 0 to 1, up to which no removals need `--allow-large`. */
const maxUnconfirmedShare = 0.3

/** Plans the changes in this order: users, rooms, members, terminations of rooms, removals. */
export function planWorkspace(
  document: WorkspaceDocument,
  section: Section,
  state: WorkspaceState,
  options: PlanOptions,
): Plan {
  const { prune } = options
  const desiredRooms = document.rooms ?? []
  const declaredUsers = new Set(document.users?.map(({ user_id }) => user_id))
  const members = new Set(desiredRooms.flatMap(({ members = [] }) => members.map(({ user_id }) => user_id)))
  const users =
    document.users && state.users
      ? planUsers({
          desired: document.users,
          state: state.users,
          section,
          prunes: prune.has('users'),
          members,
        })
      : nothing
  const rooms =
    document.rooms && state.rooms
      ? planRooms({ desired: document.rooms, state: state.rooms, section, options })
      : { ...nothing, terminations: [], rooms: new Map<string, PlannedRoom>(), adopted: new Map() }
  const memberPlans = desiredRooms.map((room) => planMembersOf(room, rooms.rooms.get(room.key)))
  const removals = [
    ...memberPlans.flatMap((planned) => planned.removals),
    ...rooms.removals,
    ...users.removals,
  ]
  return {
    items: [
      ...users.writes,
      ...rooms.writes,
      ...memberPlans.flatMap((planned) => planned.writes),
      ...rooms.terminations,
      ...removals,
      ...[...users.others, ...rooms.others, ...memberPlans.flatMap((planned) => planned.others)],
    ],
    guards: findGuards(removals, section),
    adopted: rooms.adopted,
    declared: {
      user: document.users?.length ?? 0,
      room: desiredRooms.length,
      member: desiredRooms.reduce((sum, { members = [] }) => sum + members.length, 0),
    },
  }

  function planMembersOf(room: DesiredRoom, planned: PlannedRoom | undefined) {
    if (!room.members || !planned || planned.status === 'unresolved') return nothing
    const isNew = planned.status === 'new'
    const id = isNew ? undefined : toText(planned.item['id'])
    return planMembers({
      room_key: room.key,
      room: isNew ? undefined : planned.item,
      desired: room.members,
      state: (id === undefined ? undefined : state.members.get(id)) ?? { items: [], isComplete: isNew },
      // A new room has no members, even if the lock file records members of its deleted predecessor.
      locked: isNew ? undefined : section.rooms.get(room.key),
      prunes: prune.has('members'),
      reblocks: options.reblocks,
      explainMissingUser,
    })
  }

  function explainMissingUser(user_id: string): string | undefined {
    if (!document.users || !state.users?.isComplete || state.users.items.has(user_id)) return undefined
    return declaredUsers.has(user_id) ? undefined : 'no such user, and the file does not declare this user'
  }
}

const nothing = { writes: [], removals: [], others: [] }

function findGuards(removals: readonly PlanItem[], section: Section): PruneGuard[] {
  const recorded = {
    users: section.users.size,
    rooms: section.rooms.size,
    members: [...section.rooms.values()].reduce((sum, { members }) => sum + members.size, 0),
  }
  return (['members', 'users', 'rooms'] as const).flatMap((kind) => {
    const count = removals.filter((item) => kindPlurals[item.kind] === kind).length
    const isMany = count > maxUnconfirmed && count > maxUnconfirmedShare * recorded[kind]
    return isMany ? [{ kind, count, recorded: recorded[kind] }] : []
  })
}

/** @throws {ConfirmationError} if `--allow-large` lacks a guarded kind, or a number differs from the plan */
export function requireAllowedRemovals(
  { guards, items }: Plan,
  allowed: ReadonlyMap<PruneKind, number> = new Map(),
): void {
  for (const { kind, count, recorded } of guards)
    if (allowed.get(kind) !== count)
      throw new ConfirmationError(
        `${count} of ${recorded} ${kind} in the lock file would be removed; nothing was changed`,
        { hint: `check that the file is complete, or pass --allow-large ${kind}=${count} to remove them` },
      )
  for (const [kind, count] of allowed) {
    const planned = items.filter((item) => item.action === 'remove' && kindPlurals[item.kind] === kind).length
    if (planned !== count)
      throw new ConfirmationError(
        `--allow-large ${kind}=${count} does not match the plan, which removes ${planned}; nothing was changed`,
      )
  }
}
