import type * as z from 'zod'
import type { BodyOf } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import type { WebhookEvent } from '../../api/webhooks.ts'
import { formatTimestamp } from '../common/values.ts'
import type { Store } from '../store/store.ts'

export type WebhookTarget = NonNullable<BodyOf<Operations['createRoom']>['webhook']>
type Event = z.input<typeof WebhookEvent>

/** Maximum number of changes per pack. Unpacking takes a few milliseconds. */
const changesPerPack = 200

export interface ParticipantCounts {
  sessionsCount: number
  membersCount: number
}

export interface PresenceChange extends ParticipantCounts {
  action: Event['action']
  sessionId: string
  memberId: string
  userId: string | null
  at: number
}

/** Returns the active webhook of a room as JSON. */
export function findWebhook(store: Store, roomId: string): string | undefined {
  const sql = 'SELECT webhook FROM rooms WHERE id = ? AND webhook_gone = 0'
  return store.one<{ webhook: string | null }>(sql, roomId)?.webhook ?? undefined
}

export function countWaiting(store: Store): number {
  const sql = `SELECT (SELECT count(*) FROM deliveries WHERE finished_at IS NULL)
       + (SELECT coalesce(sum(json_array_length(moves)), 0) FROM packed_moves) AS count`
  return store.one<{ count: number }>(sql)?.count ?? 0
}

/** Adds changes to the outbox, or after the existing packs of the room. Call inside `store.write`. */
export function enqueueOrPack(
  store: Store,
  newId: () => string,
  roomId: string,
  target: string,
  changes: readonly PresenceChange[],
): void {
  if (hasPacked(store, roomId)) pack(store, roomId, target, changes)
  else enqueue(store, newId, roomId, target, changes)
}

/** Moves the oldest pack of a room to the end of the outbox. Call inside `store.write`. */
export function unpack(store: Store, newId: () => string, roomId: string): void {
  const sql = 'SELECT seq, target, moves FROM packed_moves WHERE room_id = ? ORDER BY seq LIMIT 1'
  const next = store.one<{ seq: number; target: string; moves: string }>(sql, roomId)
  if (!next) return
  enqueue(store, newId, roomId, next.target, JSON.parse(next.moves) as PresenceChange[])
  store.run('DELETE FROM packed_moves WHERE seq = ?', next.seq)
}

export function hasPacked(store: Store, roomId: string): boolean {
  return store.one('SELECT 1 FROM packed_moves WHERE room_id = ?', roomId) !== undefined
}

/** Stores many changes much faster than `enqueue`, but outside the outbox. Call inside `store.write`. */
export function pack(store: Store, roomId: string, target: string, changes: readonly PresenceChange[]): void {
  for (let i = 0; i < changes.length; i += changesPerPack) {
    const moves = JSON.stringify(changes.slice(i, i + changesPerPack))
    store.insert('packed_moves', { room_id: roomId, target, moves })
  }
}

function enqueue(
  store: Store,
  newId: () => string,
  roomId: string,
  target: string,
  changes: readonly PresenceChange[],
): void {
  const events = changes.map((move) => [`msg_${newId()}`, JSON.stringify(toEvent(roomId, move)), move.at])
  const sql = `INSERT INTO deliveries (id, room_id, target, body, created_at)
     SELECT value ->> 0, ?, ?, value ->> 1, value ->> 2 FROM json_each(?) ORDER BY key`
  store.run(sql, roomId, target, JSON.stringify(events))
}

function toEvent(roomId: string, move: PresenceChange): Event {
  const { action, sessionId, memberId, userId, sessionsCount, membersCount, at } = move
  const who = { roomId, ...(userId !== null && { userId }), memberId, sessionId }
  return { action, payload: { ...who, sessionsCount, membersCount, timestamp: formatTimestamp(at) } }
}
