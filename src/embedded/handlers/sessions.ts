import { requireRoom, toSession } from '../records/records.ts'
import { hasListedEnds } from '../store/ended.ts'
import { listAll, listPage } from '../store/listing.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler-context.ts'

export const sessionHandlers = {
  /** Lists all sessions unless `limit` or `offset` is given: the API specification has no paging here. */
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
    const listing = { table, filters }
    if (query.limit === undefined && query.offset === undefined)
      return { sessions: listAll<SessionRow>(store, listing).map((row) => toSession(row, time)) }
    const { rows, paging } = listPage<SessionRow>(store, listing, query)
    return { sessions: rows.map((row) => toSession(row, time)), paging }
  },
} satisfies Partial<Handlers>
