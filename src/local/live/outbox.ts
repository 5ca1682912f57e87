import type * as z from 'zod'
import type { BodyOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { WebhookEvent } from '../../api/webhooks.ts'
import type { Store } from '../store/store.ts'
import { timestamp } from '../values.ts'
import type { LiveSession } from './live.ts'

/** An event waiting to be delivered. */
export interface Delivery {
  seq: number
  /** The `webhook-id`: the same at every attempt. */
  id: string
  room_id: string
  /** `{url, headers?, secret?}` as JSON. */
  target: string
  body: string
  attempts: number
  /** When to try again; null before the first attempt. */
  next_at: number | null
  created_at: number
}

export type Target = NonNullable<BodyOf<Operations['createRoom']>['webhook']>
type Event = z.input<typeof WebhookEvent>

/**
 * Inside `store.write`, together with the change that it announces, so that neither is stored without the other: puts
 * an event into the outbox, if the room has a webhook.
 * @returns whether there is something to deliver
 */
export function enqueue(store: Store, id: string, now: number, event: Event): boolean {
  const room = store.one<{ webhook: string | null }>(
    'SELECT webhook FROM rooms WHERE id = ? AND webhook_gone = 0',
    event.payload.roomId,
  )
  if (!room?.webhook) return false
  store.run(
    'INSERT INTO deliveries (id, room_id, target, body, created_at) VALUES (?, ?, ?, ?, ?)',
    id,
    event.payload.roomId,
    room.webhook,
    JSON.stringify(event),
    now,
  )
  return true
}

interface Announcement {
  action: Event['action']
  session: Pick<LiveSession, 'id' | 'roomId' | 'memberId' | 'userId'>
  /** When it happened, in milliseconds since 1970. */
  at: number
  /** How many sessions and members take part after it. */
  sessionsCount: number
  membersCount: number
}

/** Inside `store.write`: puts the entry or exit of a participant into the outbox (section 6.1). */
export function announce(
  store: Store,
  newId: () => string,
  { action, session, at, sessionsCount, membersCount }: Announcement,
): void {
  const { id, roomId, memberId, userId } = session
  const payload = {
    roomId,
    ...(userId === null ? {} : { userId }),
    memberId,
    sessionId: id,
    sessionsCount,
    membersCount,
    timestamp: timestamp(at),
  }
  enqueue(store, `msg_${newId()}`, at, { action, payload })
}
