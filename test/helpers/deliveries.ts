import type { Store } from '../../src/embedded/store/store.ts'
import { testNow } from './host.ts'

interface StoredDelivery {
  id: string
  room_id?: string
  action?: 'sessionJoined' | 'sessionLeft'
  state?: 'waiting' | 'delivered' | 'given_up'
  attempts?: number
  last_status?: number | null
  last_error?: string | null
  next_at?: number | null
  /** Age in milliseconds. */
  ago?: number
}

/** Adds a delivery to a workspace, because only a served workspace creates deliveries. */
export async function addDelivery(store: Store, delivery: StoredDelivery): Promise<string> {
  const { id, room_id = 'room-1', action = 'sessionJoined', state = 'delivered', ago = 0 } = delivery
  const { attempts = 1, last_status = 200, last_error = null, next_at = null } = delivery
  const at = testNow - ago
  const payload = {
    ...{ roomId: room_id, userId: 'ada', memberId: 'member-1', sessionId: 'session-1' },
    ...{ sessionsCount: 1, membersCount: 1, timestamp: new Date(at).toISOString() },
  }
  const values = [state, attempts, last_status, last_error, next_at]
  await store.write(() =>
    store.run(
      `INSERT INTO deliveries (id, room_id, target, body, state, attempts, last_status, last_error, next_at, last_at,
         created_at, finished_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, room_id, '{"url":"https://hooks.test/a?token=t"}', JSON.stringify({ action, payload })],
      ...values,
      ...[at, at, state === 'waiting' ? null : at],
    ),
  )
  return id
}
