import type { Item } from '../../output/views/views.ts'

export interface DesiredUser {
  user_id: string
  /** Declared fields. Plans ignore all other fields. */
  fields: Item
  isProtected: boolean | undefined
}

export interface DesiredRoom {
  /** Stable name of the room in the file. */
  key: string
  fields: Item
  /** Undefined if the members are out of scope. */
  members: readonly DesiredUser[] | undefined
  isProtected: boolean | undefined
  /** Fields that `apply` sends only at creation, and never compares. */
  creationDefaults?: Item
}

/** Undefined users or rooms are out of scope. */
export interface WorkspaceDocument {
  workspace: string | undefined
  users: readonly DesiredUser[] | undefined
  rooms: readonly DesiredRoom[] | undefined
  notices?: readonly string[]
  /** Formats a place in the file, such as `school.yaml:3:5: rooms[0]`. */
  describePlace(path: readonly (string | number)[]): Promise<string>
  /** Formats the line that names a profile as the workspace. Undefined for a roster, which has no such line. */
  formatProfileLine?: (profile: string) => string
}

export type Path = readonly (string | number)[]
