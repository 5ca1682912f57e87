import { isConnectionHeader } from '../../api/connection-headers.ts'
import { isWebhookSecret } from '../../api/webhook-secret.ts'
import { invalid } from '../common/faults.ts'
import { requireWebUrl } from '../common/values.ts'
import { requireRoom, toRoom } from '../records/records.ts'
import { mergeUnlisted, packUnlisted, pickUnlisted } from '../records/unlisted.ts'
import { closeReasons } from '../sessions/session-control.ts'
import { listPage } from '../store/listing.ts'
import type { ListedRoom } from '../store/rows.ts'
import type { Value } from '../store/sqlite.ts'
import type { WebhookTarget } from '../webhooks/outbox.ts'
import { requireCreatable } from './changes.ts'
import type { Handlers } from './handler-context.ts'
import { invite } from './members.ts'

/** @throws {Fault} if the URL, a header or the secret of a webhook is not valid */
export function requireWebhook({ url, headers = {}, secret }: WebhookTarget): void {
  requireWebUrl('webhook.url', url)
  for (const [name, value] of Object.entries(headers))
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value))
      throw invalid(`webhook.headers.${name} is not a valid header`)
    else if (isConnectionHeader(name))
      throw invalid(`webhook.headers.${name} cannot be set: the service sets it itself`)
  if (secret !== undefined && !isWebhookSecret(secret))
    throw invalid('webhook.secret must be whsec_ followed by base64, or text without that prefix')
}

export const roomHandlers = {
  listRooms(context, { query: { name, layout, is_terminated, ...paging } }) {
    const filters: [string, Value][] = []
    if (name !== undefined) filters.push(['name = ?', name])
    if (layout !== undefined) filters.push(['layout = ?', layout])
    if (is_terminated !== undefined) filters.push(['(terminated_at IS NOT NULL) = ?', is_terminated ? 1 : 0])
    // SQLite's planner cannot estimate that a name matches few rooms, and a layout many rooms.
    const index = name === undefined ? undefined : 'rooms_by_name'
    const { rows, ...page } = listPage<ListedRoom>(context.store, { table: 'rooms', filters, index }, paging)
    return { rooms: rows.map((row) => toRoom(row, context)), ...page }
  },

  createRoom(context, { body }) {
    const id = context.newId()
    const now = context.now()
    requireCreatable('room', body)
    if (body.webhook) requireWebhook(body.webhook)
    const { type, name, layout = 'default' } = body
    const room = {
      ...{ id, type, name, layout, created_at: now, updated_at: now },
      record: body.record ? 1 : 0,
      max_meeting_seconds: body.max_meeting_seconds ?? null,
      ...{ meeting_ms: 0, meeting_from_ms: 0, started_at: null, terminated_at: null },
      webhook: body.webhook ? JSON.stringify(body.webhook) : null,
      unlisted: packUnlisted(pickUnlisted('room', body)),
    }
    context.store.insert('rooms', room)
    for (const [i, member] of (body.members ?? []).entries())
      invite(context, id, member, `members[${i}].user_id`)
    return { room: toRoom(room, context), paging: { limit: 30, offset: 0, total: 1 } }
  },

  getRoom(context, { params }) {
    return { room: toRoom(requireRoom(context.store, params.id), context) }
  },

  updateRoom(context, { params, body }) {
    const { store } = context
    const room = requireRoom(store, params.id)
    const now = context.now()
    if (body.is_terminated) context.sessionControl.end(room.id, closeReasons.terminated)
    const { is_terminated = room.terminated_at !== null, name = room.name, layout = room.layout } = body
    // Restarts the maximum meeting time, so that the reopened room is not terminated immediately.
    if (room.terminated_at !== null && !is_terminated)
      store.run('UPDATE rooms SET meeting_from_ms = meeting_ms WHERE id = ?', room.id)
    const changes = {
      ...{ name, layout, updated_at: now },
      terminated_at: is_terminated ? (room.terminated_at ?? now) : null,
      unlisted: mergeUnlisted(room.unlisted, pickUnlisted('room', body)),
    }
    store.update('rooms', { id: room.id }, changes)
    context.sessionControl.refresh(room.id)
    return { room: toRoom(requireRoom(store, room.id), context) }
  },

  deleteRoom(context, { params }) {
    const { store, sessionControl, cascadeDeleter } = context
    sessionControl.end(requireRoom(store, params.id).id, closeReasons.deleted)
    const room = requireRoom(store, params.id)
    store.run('DELETE FROM rooms WHERE id = ?', room.id)
    cascadeDeleter.sweep('room', room.id)
    return { room: toRoom(room, context) }
  },
} satisfies Partial<Handlers>
