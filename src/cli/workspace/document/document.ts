import type { Item } from '../../output/views/views.ts'

export interface DesiredUser {
  user_id: string
  /** Declared fields. A field that is left out is neither compared nor changed. */
  fields: Item
  isProtected: boolean | undefined
}

export type DesiredMember = DesiredUser

export interface DesiredRoom {
  /** Stable name of the room in the file. */
  key: string
  fields: Item
  /** Undefined if the members are out of scope. */
  members: readonly DesiredMember[] | undefined
  isProtected: boolean | undefined
  /** Fields for the creation of the room that are not compared afterwards. */
  creationDefaults?: Item
}

/** Contents of a workspace file. A kind that is undefined is out of scope. */
export interface WorkspaceDocument {
  workspace: string | undefined
  users: readonly DesiredUser[] | undefined
  rooms: readonly DesiredRoom[] | undefined
  /** Formats a place in the file, such as `school.yaml:3:5: rooms[0]`. */
  describePlace(path: readonly (string | number)[]): Promise<string>
}
