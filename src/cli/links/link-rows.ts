import type { RowOf } from '../output/views/rows.ts'
import { cellOf, type Item, views } from '../output/views/views.ts'
import type { Link } from './link-template.ts'
import { toTextOrNull } from './user-access.ts'

export type LinkRow = RowOf<'links'>

export interface RoomLinks {
  rows: readonly LinkRow[]
  /** True if a link holds the token of a user, which is valid in every room. */
  holdsUserTokens: boolean
}

type Person = Pick<LinkRow, 'user_id' | 'name' | 'role'>

export function toLinkRow(room: Item, { user_id, name, role }: Person, { link, reason }: Link): LinkRow {
  return { room_id: room['id'], room_name: toTextOrNull(room['name']), user_id, name, role, link, reason }
}

export const noLink = (reason: string): Link => ({ link: null, reason })

/** Returns the reason why a room has no link. A terminated room can be replayed, but not joined. */
export function findRoomProblem(room: Item, isReplay: boolean): string | undefined {
  const isTerminated = cellOf(views.room, 'status', room) === 'terminated'
  return isTerminated && !isReplay ? 'the room is terminated' : undefined
}
