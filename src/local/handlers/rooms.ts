import { invalid } from '../faults.ts'
import { endings } from '../live/live.ts'
import type { Target } from '../live/outbox.ts'
import { type RoomRow, requireRoom, toRoom } from '../records.ts'
import { listPage } from '../store/listing.ts'
import type { Value } from '../store/sqlite.ts'
import { mergeUnlisted, packUnlisted, unlistedIn } from '../unlisted.ts'
import { requireEncodedUrl } from '../values.ts'
import { requireCreatable } from './changes.ts'
import type { Handlers } from './handler.ts'
import { invite } from './members.ts'

/** What could never be delivered is refused now instead of being tried for a day. */
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
    return { rooms: rows.map((row) => toRoom(row, desk)), paging }
  },

  createRoom(desk, { body }) {
    const { store } = desk
    const id = desk.newId()
    const now = desk.now()
    requireCreatable('room', body)
    if (body.webhook) requireWebhook(body.webhook)
    store.run(
      `INSERT INTO rooms (id, type, name, layout, record, max_meeting_seconds, webhook, unlisted, created_at, updated_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      body.type,
      body.name,
      body.layout ?? 'default',
      body.record ? 1 : 0,
      body.max_meeting_seconds ?? null,
      body.webhook ? JSON.stringify(body.webhook) : null,
      packUnlisted(unlistedIn('room', body)),
      now,
      now,
    )
    for (const [i, member] of (body.members ?? []).entries())
      invite(desk, id, member, `members[${i}].user_id`)
    return {
      room: toRoom(requireRoom(store, id), desk),
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
    // Terminating a terminated room keeps the time at which it was terminated.
    const terminated =
      body.is_terminated === undefined
        ? room.terminated_at
        : body.is_terminated
          ? (room.terminated_at ?? now)
          : null
    // A reopened room starts over: with the time of its last meeting used up, it would end at once.
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
    const { store, live } = desk
    live.end(requireRoom(store, params.id).id, endings.deleted)
    const room = requireRoom(store, params.id)
    store.run('DELETE FROM rooms WHERE id = ?', room.id)
    return { room: toRoom(room, desk) }
  },
} satisfies Partial<Handlers>
