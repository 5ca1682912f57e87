import { deprecated, type RoomType } from '../../api/vocabulary.ts'
import { invalid, notFound } from '../faults.ts'
import { endings } from '../live/live.ts'
import type { Target } from '../live/outbox.ts'
import { listPage, requireEncodedUrl, timestamp } from '../paging.ts'
import type { Value } from '../store/sqlite.ts'
import type { Store } from '../store/store.ts'
import type { Desk, Handlers } from './handler.ts'
import { invite } from './members.ts'

export interface RoomRow {
  id: string
  type: RoomType
  name: string
  layout: string
  record: number
  max_meeting_seconds: number | null
  meeting_ms: number
  webhook: string | null
  started_at: number | null
  terminated_at: number | null
  created_at: number
  updated_at: number
}

export function requireRoom(store: Store, id: string): RoomRow {
  const row = store.one<RoomRow>('SELECT * FROM rooms WHERE id = ?', id)
  if (!row) throw notFound('room')
  return row
}

function toRoom({ live, applicationId }: Desk, row: RoomRow) {
  return {
    id: row.id,
    type: row.type,
    name: row.name,
    application_id: applicationId,
    thumbnail_url: null,
    layout: row.layout,
    record: row.record === 1,
    // Whole seconds: the document gives no unit.
    meeting_time: Math.floor((row.meeting_ms + live.runningMs(row.id)) / 1000),
    max_meeting_seconds: row.max_meeting_seconds,
    started_at: timestamp(row.started_at),
    terminated_at: timestamp(row.terminated_at),
    updated_at: timestamp(row.updated_at),
    created_at: timestamp(row.created_at),
    created_user_id: deprecated,
    last_thumbnail_updated_at: deprecated,
    room_template_id: deprecated,
    is_terminated: deprecated,
    is_ephemeral: deprecated,
    is_recurring: deprecated,
  }
}

/** What could never be delivered is refused now, rather than tried for a day. */
function requireWebhook({ url, headers = {}, secret }: Target): void {
  requireEncodedUrl('webhook.url', url)
  if (!/^https?:$/.test(new URL(url).protocol)) throw invalid('webhook.url: expected http or https')
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw invalid(`webhook.headers.${name}: not a header`)
  if (
    secret !== undefined &&
    !/^(whsec_([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)|(?!whsec_).+)$/s.test(
      secret,
    )
  )
    throw invalid('webhook.secret: expected whsec_ and base64, or any other text')
}

export const roomHandlers = {
  listRooms(desk, { query }) {
    const filters: [string, Value][] = []
    if (query.name !== undefined) filters.push(['name = ?', query.name])
    if (query.layout !== undefined) filters.push(['layout = ?', query.layout])
    if (query.is_terminated !== undefined)
      filters.push(['(terminated_at IS NOT NULL) = ?', query.is_terminated ? 1 : 0])
    const where = filters.length > 0 ? ` WHERE ${filters.map(([clause]) => clause).join(' AND ')}` : ''
    const values = filters.map(([, value]) => value)
    const { rows, paging } = listPage<RoomRow>(desk.store, {
      from: `rooms${where}`,
      values,
      paging: query,
    })
    return { rooms: rows.map((row) => toRoom(desk, row)), paging }
  },

  createRoom(desk, { body }) {
    const { store } = desk
    const id = desk.newId()
    const now = desk.now()
    if (body.webhook) requireWebhook(body.webhook)
    store.run(
      `INSERT INTO rooms (id, type, name, layout, record, max_meeting_seconds, webhook, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      body.type,
      body.name,
      body.layout ?? 'default',
      body.record ? 1 : 0,
      body.max_meeting_seconds ?? null,
      body.webhook ? JSON.stringify(body.webhook) : null,
      now,
      now,
    )
    for (const [i, member] of (body.members ?? []).entries())
      invite(desk, id, member, `members[${i}].user_id`)
    return {
      room: toRoom(desk, requireRoom(store, id)),
      paging: { limit: 30, offset: 0, total: 1 },
    }
  },

  getRoom(desk, { params }) {
    return { room: toRoom(desk, requireRoom(desk.store, params.id)) }
  },

  updateRoom(desk, { params, body }) {
    const { store } = desk
    const room = requireRoom(store, params.id)
    const now = desk.now()
    if (body.is_terminated) desk.afterCommit(desk.live.end(room.id, endings.terminated))
    // Terminating what is terminated keeps the time at which it happened.
    const terminated =
      body.is_terminated === undefined
        ? room.terminated_at
        : body.is_terminated
          ? (room.terminated_at ?? now)
          : null
    store.run(
      'UPDATE rooms SET name = ?, layout = ?, terminated_at = ?, updated_at = ? WHERE id = ?',
      body.name ?? room.name,
      body.layout ?? room.layout,
      terminated,
      now,
      room.id,
    )
    return { room: toRoom(desk, requireRoom(store, room.id)) }
  },

  deleteRoom(desk, { params }) {
    desk.afterCommit(desk.live.end(requireRoom(desk.store, params.id).id, endings.deleted))
    const room = requireRoom(desk.store, params.id)
    desk.store.run('DELETE FROM rooms WHERE id = ?', room.id)
    return { room: toRoom(desk, room) }
  },
} satisfies Partial<Handlers>
