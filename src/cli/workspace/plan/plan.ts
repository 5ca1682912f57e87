import type { Kind } from '../schema/fields.ts'

/** Actions that write, in the order in which they run. */
const writeActions = ['create', 'change', 'remove'] as const

export type WriteAction = (typeof writeActions)[number]

/**
 * `gone`: the room of a key no longer exists. `exists`: a room that is not ours has the name. `conflict`: the creation
 * of a room cannot be matched. `unread`: its list is incomplete. `cannot`: the API offers no such change. `not_shown`:
 * the service does not show the field. `not_in_file`: nothing is planned for an item that the file does not declare.
 */
export type Action =
  | WriteAction
  | 'gone'
  | 'exists'
  | 'conflict'
  | 'unread'
  | 'cannot'
  | 'not_shown'
  | 'not_in_file'

export interface FieldChange {
  field: string
  /** Missing if the field is new or unknown. */
  before?: unknown
  after: unknown
}

export interface PlanItem {
  action: Action
  kind: Kind
  /** Key of a room, or user ID of a user or member. Rooms without a key have their ID here. */
  key: string
  /** Key of a member's room. */
  room_key: string | null
  /** Undefined for a room that does not exist yet. */
  room_id: string | undefined
  member_id: string | undefined
  name: string | null
  changes: readonly FieldChange[]
  reason: string | null
}

export interface PruneGuard {
  kind: PruneKind
  /** Number of planned removals. */
  count: number
  /** Number of items of the kind that the lock records. */
  recorded: number
}

export const pruneKinds = ['members', 'users', 'rooms'] as const

export type PruneKind = (typeof pruneKinds)[number]

export interface Plan {
  items: readonly PlanItem[]
  /** Kinds of which so many items would be removed that the number must be confirmed. */
  guards: readonly PruneGuard[]
  /** IDs of rooms that an earlier run created without learning their IDs, by key. */
  adopted: ReadonlyMap<string, string>
  /** Number of declared items by kind. */
  declared: Readonly<Record<Kind, number>>
}

export interface PlanOptions {
  prune: ReadonlySet<PruneKind>
  /** Keys of lost rooms that are created again. */
  recreate: ReadonlySet<string>
}

export function isWrite({ action }: PlanItem): boolean {
  return (writeActions as readonly string[]).includes(action)
}

/** Returns true for an item that the file declares and that apply cannot bring about without a decision. */
export function isUnresolved({ action }: PlanItem): boolean {
  return ['gone', 'exists', 'conflict', 'unread'].includes(action)
}
