import { requireRoom, type SessionRow, toSession } from '../records.ts'
import { listPage } from '../store/listing.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler.ts'

export const sessionHandlers = {
  /** The document has no paging here: all sessions are sent, unless `limit` or `offset` is given. */
  listSessions({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    const filters: [string, Value][] = [['room_id = ?', params.room_id]]
    if (query.user_id !== undefined) filters.push(['user_id = ?', query.user_id])
    if (query.is_connecting !== undefined)
      filters.push(['(disconnected_at IS NULL) = ?', query.is_connecting ? 1 : 0])
    const from = `sessions WHERE ${filters.map(([clause]) => clause).join(' AND ')}`
    const values = filters.map(([, value]) => value)
    if (query.limit === undefined && query.offset === undefined) {
      const rows = store.all<SessionRow>(`SELECT * FROM ${from} ORDER BY seq DESC`, ...values)
      return { sessions: rows.map(toSession) }
    }
    const { rows, paging } = listPage<SessionRow>(store, { from, values, paging: query })
    return { sessions: rows.map(toSession), paging }
  },
} satisfies Partial<Handlers>
