import { startTurn } from '../common/turn-scheduler.ts'
import { columns } from '../records/columns.ts'
import { requireRoom, toSession } from '../records/records.ts'
import { hasListedEnds } from '../store/ended.ts'
import { listPage } from '../store/listing.ts'
import type { SessionRow } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Handlers } from './handler-context.ts'

type Session = ReturnType<typeof toSession>

const stepSessions = 500

export const sessionHandlers = {
  /** Lists all sessions unless `limit` or `offset` is given, because the API specification has no paging here. */
  async listSessions({ store, scheduler }, { params, query }) {
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
    if (query.limit === undefined && query.offset === undefined) {
      const sessions: Session[] = []
      const turn = startTurn(scheduler)
      for (let before = Number.MAX_SAFE_INTEGER; before > 0; await turn()) {
        const rows = store.list<SessionRow>(
          columns.sessions,
          `FROM ${table} ${where} AND seq < ? ORDER BY seq DESC LIMIT ?`,
          ...values,
          before,
          stepSessions,
        )
        for (const row of rows) sessions.push(toSession(row))
        before = rows.length < stepSessions ? 0 : (rows.at(-1)?.seq ?? 0)
      }
      // The room may have been deleted between two steps.
      requireRoom(store, params.room_id)
      return { sessions }
    }
    const { rows, paging } = await listPage<SessionRow>(store, {
      table,
      columns: columns.sessions,
      where,
      values,
      paging: query,
    })
    return { sessions: rows.map(toSession), paging }
  },
} satisfies Partial<Handlers>
