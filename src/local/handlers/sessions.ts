import { requireRoom, type SessionRow, toSession } from '../records.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler.ts'

export const sessionHandlers = {
  listSessions({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    const filters: [string, Value][] = [['room_id = ?', params.room_id]]
    if (query.user_id !== undefined) filters.push(['user_id = ?', query.user_id])
    if (query.is_connecting !== undefined)
      filters.push(['(disconnected_at IS NULL) = ?', query.is_connecting ? 1 : 0])
    const rows = store.all<SessionRow>(
      `SELECT * FROM sessions WHERE ${filters.map(([clause]) => clause).join(' AND ')} ORDER BY seq DESC`,
      ...filters.map(([, value]) => value),
    )
    return { sessions: rows.map(toSession) }
  },
} satisfies Partial<Handlers>
