import type { Item } from '../../output/views/views.ts'

/** Items of a list by ID. Nothing is created or removed because of a list that is not complete. */
export interface ReadList {
  items: ReadonlyMap<string, Item>
  isComplete: boolean
}

export interface ReadMembers {
  items: readonly Item[]
  isComplete: boolean
}

/** State of the service, as far as the file declares it. */
export interface WorkspaceState {
  users: ReadList | undefined
  rooms: ReadList | undefined
  /** Members by room ID. */
  members: ReadonlyMap<string, ReadMembers>
}
