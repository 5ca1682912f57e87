import type { Item } from '../../output/views/views.ts'

/** Item that a workspace file has created or adopted. Only such items are ever removed. */
export interface LockedItem {
  /** Last applied values. */
  values: Item
  isProtected: boolean
}

export interface LockedRoom extends LockedItem {
  id: string
  members: Map<string, LockedItem>
  /** User IDs of the members whom `apply` has blocked. Only these blocks are ever lifted. */
  blocks: Set<string>
}

/** Creation of a room whose outcome is not known yet. */
export interface Intent {
  name: string
  /** IDs of the rooms that had the name before the creation. */
  existing: readonly string[]
  /** Time when the request may have been sent, in milliseconds since 1970. */
  at: number
  /** Time after which the request cannot arrive any more, in milliseconds since 1970. */
  until: number
}

/** Part of a lock file for one workspace of one service. */
export interface Section {
  base_url: string
  /** Undefined until a room of the workspace shows it. */
  application_id: string | undefined
  /** Profile that the file names. */
  workspace: string | undefined
  users: Map<string, LockedItem>
  /** Rooms by key. */
  rooms: Map<string, LockedRoom>
  /** Creations by key. */
  intents: Map<string, Intent>
}

export function createSection(
  base_url: string,
  application_id: string | undefined,
  workspace: string | undefined,
): Section {
  return { base_url, application_id, workspace, users: new Map(), rooms: new Map(), intents: new Map() }
}
