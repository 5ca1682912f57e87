import { toText } from '../../api/to-text.ts'
import { roomLinkFields } from '../../config/link-template.ts'
import type { RowOf } from '../output/views/rows.ts'
import { cellOf, type Item, views } from '../output/views/views.ts'
import type { Link, LinkValues } from './link-template.ts'
import { toTextOrNull } from './user-access.ts'

export const blockedReason = 'blocked'

export type LinkRow = RowOf<'links'>

export interface RoomLinks {
  rows: readonly LinkRow[]
  /** True if a link holds the token of a user, not of a member. */
  holdsUserTokens: boolean
}

export function toLinkRow(
  room: Item,
  { user_id, name, role }: Pick<LinkRow, 'user_id' | 'name' | 'role'>,
  { link, reason }: Link,
  more: Item,
): LinkRow {
  const room_name = toTextOrNull(room['name'])
  const row = { room_id: room['id'], room_name, user_id, name, role, link, reason }
  return { ...row, ...more, ...(Object.hasOwn(more, linkAlias) && { [linkAlias]: link }) }
}

export const linkAlias = 'url'

export function readLinkFields(names: readonly string[], room: Item, user: Item = {}): Item {
  const read = (name: string) => {
    const ofRoom = roomLinkFields.get(name)
    return ofRoom === undefined ? (user[name] ?? null) : cellOf(views.room, ofRoom, room)
  }
  return Object.fromEntries(names.map((name) => [name, read(name)]))
}

export function toLinkValues(fields: Item): LinkValues {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toText(value) || null]))
}

export const noLink = (reason: string): Link => ({ link: null, reason })

/** A terminated room can be replayed, but not joined. */
export function findRoomProblem(room: Item, isReplay: boolean): string | undefined {
  const isTerminated = cellOf(views.room, 'status', room) === 'terminated'
  return isTerminated && !isReplay ? 'the room is terminated' : undefined
}
