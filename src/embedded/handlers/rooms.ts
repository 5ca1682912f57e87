import type { QueryOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { invalid } from '../common/faults.ts'
import { requireWebUrl } from '../common/values.ts'
import { columns } from '../records/columns.ts'
import { requireRoom, toRoom } from '../records/records.ts'
import { mergeUnlisted, packUnlisted, unlistedIn } from '../records/unlisted.ts'
import { endings } from '../sessions/live.ts'
import { blockRows, countBlocks } from '../store/counts.ts'
import { type Counts, listPage } from '../store/listing.ts'
import type { ListedRoom } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { Target } from '../webhooks/outbox.ts'
import { requireCreatable } from './changes.ts'
import type { Handlers } from './handler-context.ts'
import { invite } from './members.ts'

function requireWebhook({ url, headers = {}, secret }: Target): void {
  requireWebUrl('webhook.url', url)
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

/** Builds the query of a room list. A name matches few rooms, so no counts are kept for names. */
function roomsLike({ name, layout, is_terminated }: QueryOf<Operations['listRooms']>) {
  const filters: [string, Value][] = []
  if (name !== undefined) filters.push(['name = ?', name])
  if (layout !== undefined) filters.push(['layout = ?', layout])
  if (is_terminated !== undefined) filters.push(['(terminated_at IS NOT NULL) = ?', is_terminated ? 1 : 0])
  const counts: Counts = {
    from: `room_counts WHERE layout = ? AND terminated ${is_terminated === undefined ? 'IN (0, 1)' : '= ?'}`,
    values: [
      layout === undefined ? '' : `=${layout}`,
      ...(is_terminated === undefined ? [] : [is_terminated ? 1 : 0]),
    ],
    upTo: 'rooms_counted',
  }
  return {
    table: 'rooms',
    columns: columns.rooms,
    // SQLite's planner does not know that a name is more selective than a layout.
    where: `${name === undefined ? '' : 'INDEXED BY rooms_by_name '}WHERE ${filters.map(([clause]) => clause).join(' AND ') || 'true'}`,
    values: filters.map(([, value]) => value),
    ...(name === undefined && { counts }),
  }
}

export const roomHandlers = {
  async listRooms(desk, { query }) {
    const { rows, paging } = await listPage<ListedRoom>(desk.store, { ...roomsLike(query), paging: query })
    return { rooms: rows.map((row) => toRoom(row, desk)), paging }
  },

  createRoom(desk, { body }) {
    const { store } = desk
    const id = desk.newId()
    const now = desk.now()
    requireCreatable('room', body)
    if (body.webhook) requireWebhook(body.webhook)
    const room = {
      id,
      type: body.type,
      name: body.name,
      layout: body.layout ?? 'default',
      record: body.record ? 1 : 0,
      max_meeting_seconds: body.max_meeting_seconds ?? null,
      meeting_ms: 0,
      meeting_from_ms: 0,
      started_at: null,
      terminated_at: null,
      unlisted: packUnlisted(unlistedIn('room', body)),
      created_at: now,
      updated_at: now,
    }
    const seq = store.insert(
      `INSERT INTO rooms (id, type, name, layout, record, max_meeting_seconds, webhook, unlisted, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      room.id,
      room.type,
      room.name,
      room.layout,
      room.record,
      room.max_meeting_seconds,
      body.webhook ? JSON.stringify(body.webhook) : null,
      room.unlisted,
      now,
      now,
    )
    if (seq % blockRows === 0) countBlocks(store, 'rooms', seq)
    for (const [i, member] of (body.members ?? []).entries())
      invite(desk, id, member, `members[${i}].user_id`)
    return {
      room: toRoom(room, desk),
      paging: { limit: 30, offset: 0, total: 1 },
    }
  },

  getRoom(desk, { params }) {
    return { room: toRoom(requireRoom(desk.store, params.id), desk) }
  },

  updateRoom(desk, { params, body }) {
    const { store } = desk
    const room = requireRoom(store, params.id)
    const now = desk.now()
    if (body.is_terminated) desk.live.end(room.id, endings.terminated)
    const terminated =
      body.is_terminated === undefined
        ? room.terminated_at
        : body.is_terminated
          ? (room.terminated_at ?? now)
          : null
    // A reopened room starts a new time limit; it would otherwise end immediately.
    if (room.terminated_at !== null && terminated === null)
      store.run('UPDATE rooms SET meeting_from_ms = meeting_ms WHERE id = ?', room.id)
    store.run(
      'UPDATE rooms SET name = ?, layout = ?, terminated_at = ?, unlisted = ?, updated_at = ? WHERE id = ?',
      body.name ?? room.name,
      body.layout ?? room.layout,
      terminated,
      mergeUnlisted(room.unlisted, unlistedIn('room', body)),
      now,
      room.id,
    )
    return { room: toRoom(requireRoom(store, room.id), desk) }
  },

  deleteRoom(desk, { params }) {
    const { store, live, sweeper } = desk
    live.end(requireRoom(store, params.id).id, endings.deleted)
    const room = requireRoom(store, params.id)
    store.run('DELETE FROM rooms WHERE id = ?', room.id)
    sweeper.sweep('room', room.id)
    return { room: toRoom(room, desk) }
  },
} satisfies Partial<Handlers>
