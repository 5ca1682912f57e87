import { parseEnd, parseTimestamp } from '../../api/readings.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { readList } from './read-list.ts'

/** Function that returns the last time at which a member was connected; null if unknown. */
export type LastSeen = (member: Item) => string | null

interface LastSeenQuery {
  room_id: string
  user_id?: string | undefined
  client?: Client | undefined
}

/** Derives last connections from the sessions of a room. Connected members have the current time. */
export async function readLastSeen(
  context: Context,
  { room_id, user_id, client }: LastSeenQuery,
): Promise<LastSeen> {
  const now = new Date(context.host.now()).toISOString()
  const latest = new Map<string, string>()
  const input = { params: { room_id }, query: { user_id } }
  const options = { all: true, selectsItems: true, client }
  for await (const { items } of readList(context, 'listSessions', input, options))
    for (const session of items) {
      const member = toText(session['member_id'])
      const seen = findLastSeenTime(session, now)
      if (seen !== undefined && isLater(seen, latest.get(member))) latest.set(member, seen)
    }
  return ({ id }) => latest.get(toText(id)) ?? null
}

function findLastSeenTime({ connected_at, disconnected_at }: Item, now: string): string | undefined {
  const end = parseEnd(connected_at, disconnected_at)
  if (end === null) return now
  const time = end === undefined ? connected_at : disconnected_at
  const at = parseTimestamp(time)
  if (typeof at !== 'number') return undefined
  return typeof time === 'string' ? time : new Date(at).toISOString()
}

function isLater(time: string, than: string | undefined): boolean {
  return than === undefined || (parseTimestamp(time) ?? 0) > (parseTimestamp(than) ?? 0)
}
