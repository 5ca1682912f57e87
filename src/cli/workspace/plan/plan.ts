import type { RowOf } from '../../output/views/rows.ts'
import type { Item } from '../../output/views/views.ts'
import type { Kind } from '../../records/records.ts'

const writeActions = ['create', 'change', 'remove'] as const

export type WriteAction = (typeof writeActions)[number]

/**
 * Planned action. `gone`: the key's room no longer exists. `exists`: another room has the name. `conflict`:
 * several rooms may result from a lost creation. `not_shown`: the service does not show a declared field.
 */
export type PlanAction = RowOf<'plan'>['action']

export type FieldChange = RowOf<'plan'>['changes'][number]

export interface PlanItem extends Omit<RowOf<'plan'>, 'sign' | 'room_id'> {
  /** Undefined for users, for rooms without a known ID and for their members. */
  room_id: string | undefined
  member_id: string | undefined
  /** IDs of the rooms that an `exists` item may mean; a single one can be adopted. */
  candidates: readonly string[] | undefined
}

export interface PruneGuard {
  kind: PruneKind
  count: number
  /** Number of items of the kind in the section of the lock file. */
  recorded: number
}

export const pruneKinds = ['members', 'users', 'rooms'] as const

export type PruneKind = (typeof pruneKinds)[number]

export interface Plan {
  items: readonly PlanItem[]
  /** Kinds with so many removals that `--allow-large` must confirm the number. */
  guards: readonly PruneGuard[]
  /** Room IDs from `findLostRooms`, by room key. */
  adopted: ReadonlyMap<string, string>
  declared: Readonly<Record<Kind, number>>
}

export interface PlanOptions {
  prune: ReadonlySet<PruneKind>
  recreate: ReadonlySet<string>
  /** True to block members again whom this file blocked and somebody unblocked. */
  reblocks: boolean
}

export function isWrite({ action }: PlanItem): boolean {
  return (writeActions as readonly string[]).includes(action)
}

export function isUnresolved({ action }: PlanItem): boolean {
  return ['gone', 'exists', 'conflict', 'unread', 'unblocked'].includes(action)
}

/** Items of a list by ID. An incomplete list does not prove that an item is missing. */
export interface ReadList {
  items: ReadonlyMap<string, Item>
  isComplete: boolean
}

export interface ReadMembers {
  items: readonly Item[]
  isComplete: boolean
}

/** State of the service, limited to the scope of the file. */
export interface WorkspaceState {
  users: ReadList | undefined
  rooms: ReadList | undefined
  /** Members by room ID. */
  members: ReadonlyMap<string, ReadMembers>
}
