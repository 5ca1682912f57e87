import type { Item } from '../../output/views/views.ts'

/** Item created by `apply`, or adopted by `adopt` or `export`. `--prune` removes only such items. */
export interface LockedItem {
  /** Values that a workspace file declared last. */
  values: Item
  isProtected: boolean
}

export interface LockedRoom extends LockedItem {
  id: string
  members: Map<string, LockedItem>
  /** User IDs of members whom `apply` blocked. `apply` unblocks only these members. */
  blocks: Set<string>
}

/** Creation of a room with an unknown outcome. */
export interface Intent {
  name: string
  /** IDs of the rooms that had the name before the creation. */
  existing: readonly string[]
  /** Time of the request, in milliseconds since 1970. */
  at: number
  /** End of the timeout of the request, in milliseconds since 1970. */
  until: number
}

/** Part of a lock file for one workspace of one service. */
export interface Section {
  base_url: string
  /** Undefined until a response contains the ID. */
  application_id: string | undefined
  /** Profile named in the workspace file. */
  workspace: string | undefined
  users: Map<string, LockedItem>
  rooms: Map<string, LockedRoom>
  intents: Map<string, Intent>
}

export function createSection(
  base_url: string,
  application_id: string | undefined,
  workspace: string | undefined,
): Section {
  return { base_url, application_id, workspace, users: new Map(), rooms: new Map(), intents: new Map() }
}
