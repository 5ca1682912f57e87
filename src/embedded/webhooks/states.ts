import type { DeliveryState } from '../../api/vocabulary.ts'
import { forbidden, notFound } from '../common/faults.ts'
import { type DeliveryRow, maxTotal } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import type { AttemptResult } from './attempt.ts'
import { keepFinishedMs } from './retention.ts'

/** Maximum time for retries of an event or a redelivery, in milliseconds. */
const maxRetryMs = 24 * 60 * 60 * 1000

/**
 * SQL that adds an attempt and keeps `attempts` above `round_start`. Equal values mean a pending first
 * attempt.
 */
const addAttempt = `attempts = min(attempts + 1, ${maxTotal}), round_start = min(round_start, ${maxTotal - 1})`

/**
 * Call inside `store.write`.
 * @param nextAt time of the next attempt in Unix milliseconds, if this attempt fails
 * @returns time of the next attempt in Unix milliseconds; 'now' if a redelivery was requested during the
 * attempt; undefined for none
 */
export function recordAttempt(
  store: Store,
  delivery: DeliveryRow,
  { outcome, error, excerpt }: AttemptResult,
  now: number,
  nextAt: number,
): number | 'now' | undefined {
  const { seq, room_id, redeliveries, round_at, created_at } = delivery
  const isDelivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300
  const isGivenUp =
    outcome === 'forbidden' || outcome === 410 || nextAt > (round_at ?? created_at) + maxRetryMs
  const state: DeliveryState = isDelivered ? 'delivered' : isGivenUp ? 'given_up' : 'waiting'
  const isFinished = state !== 'waiting'
  const lastStatus = typeof outcome === 'number' ? outcome : null
  const lastError = outcome === 410 ? 'the response 410 ended the webhook of the room' : error
  const result = [now, lastStatus, lastError, excerpt, seq, redeliveries]
  const isRecorded = store.run(
    `UPDATE deliveries SET ${addAttempt}, state = ?, next_at = ?, finished_at = ?,
       last_at = ?, last_status = ?, last_error = ?, last_body = ? WHERE seq = ? AND redeliveries = ?`,
    ...[state, isFinished ? null : nextAt, isFinished ? now : null, ...result],
  )
  // A redelivery was requested during the attempt, so the attempt does not change the state.
  if (!isRecorded)
    store.run(
      `UPDATE deliveries SET attempts = min(attempts + 1, ${maxTotal}), round_start = min(attempts + 1, ${maxTotal}),
         last_at = ?, last_status = ?, last_error = ?, last_body = ? WHERE seq = ? AND redeliveries > ?`,
      ...result,
    )
  if (outcome === 410) endWebhook(store, room_id, now)
  if (!isRecorded) return 'now'
  return isFinished ? undefined : nextAt
}

/** Disables the webhook of a room permanently after the response 410 (Gone). */
function endWebhook(store: Store, roomId: string, now: number): void {
  store.run('UPDATE rooms SET webhook_gone = 1 WHERE id = ?', roomId)
  store.run('DELETE FROM packed_moves WHERE room_id = ?', roomId)
  const last_error = 'the response 410 to another event ended the webhook of the room'
  const sql = `UPDATE deliveries SET state = 'given_up', next_at = NULL, finished_at = ?, last_error = ?
     WHERE room_id = ? AND finished_at IS NULL`
  store.run(sql, now, last_error, roomId)
}

/**
 * Requests another delivery of an event under the same ID. Call inside `store.write`.
 * @throws {Fault} if the delivery is missing or cannot be redelivered
 */
export function requestRedelivery(store: Store, id: string, now: number): DeliveryRow {
  const find = 'SELECT * FROM deliveries WHERE id = ? AND (finished_at IS NULL OR finished_at > ?)'
  const delivery = store.one<DeliveryRow>(find, id, now - keepFinishedMs)
  if (!delivery) throw notFound('delivery')
  if (delivery.finished_at === null && delivery.attempts === delivery.round_start)
    throw forbidden('the delivery already waits for an attempt')
  // The count must not saturate, because a changed count reveals a redelivery during an attempt.
  if (delivery.redeliveries >= maxTotal) throw forbidden('the delivery has no redeliveries left')
  const reset = `UPDATE deliveries SET state = 'waiting', next_at = NULL, finished_at = NULL,
       redeliveries = redeliveries + 1, round_start = attempts, round_at = ? WHERE seq = ?`
  store.run(reset, now, delivery.seq)
  return store.one<DeliveryRow>('SELECT * FROM deliveries WHERE seq = ?', delivery.seq) ?? delivery
}
