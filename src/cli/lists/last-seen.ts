import { parseEnd, parseTimestamp } from '../../api/readings.ts'
import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { listPages } from './list.ts'

/** When a member of a room was last connected; null for one who never was. */
export type LastSeen = (member: Item) => string | null

interface Asked {
  room_id: string
  /** Asks for the sessions of this user alone. */
  user_id?: string | undefined
  /** Who asks, unless it is the usual client. */
  client?: Client | undefined
}

/** When each member of a room was last connected, by the sessions of the room: now, while one of theirs goes on. */
export async function lastSeenIn(context: Context, { room_id, user_id, client }: Asked): Promise<LastSeen> {
  const now = new Date(context.host.now()).toISOString()
  const latest = new Map<string, string>()
  const input = { params: { room_id }, query: { user_id } }
  for await (const { items } of await listPages(context, 'listSessions', input, { all: true }, { client }))
    for (const session of items) {
      const member = textOf(session['member_id'])
      const seen = endOf(session, now)
      if (seen !== undefined && isLater(seen, latest.get(member))) latest.set(member, seen)
    }
  return ({ id }) => latest.get(textOf(id)) ?? null
}

/** When a session ended. Where that is not told, or cannot be read, all that is known is when it began. */
function endOf({ connected_at, disconnected_at }: Item, now: string): string | undefined {
  const end = parseEnd(connected_at, disconnected_at)
  if (end === null) return now
  const told = end === undefined ? connected_at : disconnected_at
  const at = parseTimestamp(told)
  if (typeof at !== 'number') return undefined
  return typeof told === 'string' ? told : new Date(at).toISOString()
}

function isLater(time: string, than: string | undefined): boolean {
  return than === undefined || (parseTimestamp(time) ?? 0) > (parseTimestamp(than) ?? 0)
}
