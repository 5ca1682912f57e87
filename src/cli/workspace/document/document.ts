import type { Item } from '../../output/views/views.ts'

export interface DesiredUser {
  user_id: string
  /** Declared fields. All other fields are neither compared nor changed. */
  fields: Item
  isProtected: boolean | undefined
}

export type DesiredMember = DesiredUser

export interface DesiredRoom {
  /** Stable name of the room in the file. */
  key: string
  fields: Item
  /** Members; undefined if out of scope. */
  members: readonly DesiredMember[] | undefined
  isProtected: boolean | undefined
  /** Fields that are sent only when the room is created, and never compared. */
  creationDefaults?: Item
}

/** Contents of a workspace file. An undefined kind is out of scope. */
export interface WorkspaceDocument {
  workspace: string | undefined
  users: readonly DesiredUser[] | undefined
  rooms: readonly DesiredRoom[] | undefined
  /** Remarks about the file, to show with the plan. */
  notices?: readonly string[]
  /** Formats a place in the file, such as `school.yaml:3:5: rooms[0]`. */
  describePlace(path: readonly (string | number)[]): Promise<string>
}

/** Keys and indexes that lead to a value of a file. */
export type Path = readonly (string | number)[]
