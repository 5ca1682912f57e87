import { columns } from '../records/columns.ts'
import { requireRoom, toSession } from '../records/records.ts'
import { hasListedEnds } from '../store/ended.ts'
import { listAll, listPage } from '../store/listing.ts'
import { parseOrder } from '../store/order.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler-context.ts'

type Session = ReturnType<typeof toSession>

export const sessionHandlers = {
  /** Lists all sessions unless `limit` or `offset` is given, because the API specification has no paging here. */
  async listSessions({ store, scheduler, now }, { params, query }) {
    requireRoom(store, params.room_id)
    const table = hasListedEnds(store) ? 'present_sessions' : 'sessions'
    const filters: [string, Value][] = [['room_id = ?', params.room_id]]
    if (query.user_id !== undefined) filters.push(['user_id = ?', query.user_id])
    if (query.is_connecting !== undefined)
      filters.push(['(disconnected_at IS NULL) = ?', query.is_connecting ? 1 : 0])
    // SQLite cannot use its index of open sessions without this additional condition.
    if (query.is_connecting && table === 'present_sessions') filters.push(['is_open = ?', 1])
    const where = `WHERE ${filters.map(([clause]) => clause).join(' AND ')}`
    const values = filters.map(([, value]) => value)
    const order = parseOrder(query.sort_by, 'connected_at')
    const time = now()
    const toItem = (row: SessionRow) => toSession(row, time)
    const listing = {
      table,
      columns: columns.sessions,
      where,
      values,
      order,
      orderIndex: 'sessions_by_connection',
    } as const
    if (query.limit === undefined && query.offset === undefined) {
      const sessions = await listAll<SessionRow, Session>(store, scheduler, listing, toItem)
      // The room may have been deleted between two steps.
      requireRoom(store, params.room_id)
      return { sessions }
    }
    const { rows, paging } = await listPage<SessionRow>(store, { ...listing, paging: query })
    return { sessions: rows.map(toItem), paging }
  },
} satisfies Partial<Handlers>
