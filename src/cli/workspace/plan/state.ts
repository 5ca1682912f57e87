import type { Item } from '../../output/views/views.ts'

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
