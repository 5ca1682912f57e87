import { requireRoom, toSession } from '../records/records.ts'
import { hasListedEnds } from '../store/ended.ts'
import { listPageIfAsked } from '../store/listing.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler-context.ts'

export const sessionHandlers = {
  listSessions({ store, now }, { params, query }) {
    requireRoom(store, params.room_id)
    const table = hasListedEnds(store) ? 'present_sessions' : 'sessions'
    const filters: [string, Value][] = [['room_id = ?', params.room_id]]
    if (query.user_id !== undefined) filters.push(['user_id = ?', query.user_id])
    if (query.is_connecting !== undefined)
      filters.push(['(disconnected_at IS NULL) = ?', query.is_connecting ? 1 : 0])
    // SQLite cannot use its index of open sessions without this additional condition.
    if (query.is_connecting && table === 'present_sessions') filters.push(['is_open = ?', 1])
    const time = now()
    const { rows, ...page } = listPageIfAsked<SessionRow>(store, { table, filters }, query)
    return { sessions: rows.map((row) => toSession(row, time)), ...page }
  },
} satisfies Partial<Handlers>
