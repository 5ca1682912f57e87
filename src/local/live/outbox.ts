import type * as z from 'zod'
import type { BodyOf } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { WebhookEvent } from '../../api/webhooks.ts'
import type { Store } from '../store/store.ts'
import { timestamp } from '../values.ts'
import type { LiveSession } from './live.ts'
import type { Counts } from './roster.ts'

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

/** An event, its `webhook-id`, and when it happened, in milliseconds since 1970. */
interface Announced {
  id: string
  at: number
  event: Event
}

/**
 * Inside `store.write`, together with the change that they announce, so that neither is stored without the other: puts
 * events of a room into the outbox, if it has a webhook.
 * @param events called only when there is a webhook
 * @returns whether there is something to deliver
 */
export function enqueue(store: Store, roomId: string, events: () => Announced[]): boolean {
  const room = store.one<{ webhook: string | null }>(
    'SELECT webhook FROM rooms WHERE id = ? AND webhook_gone = 0',
    roomId,
  )
  if (!room?.webhook) return false
  store.run(
    `INSERT INTO deliveries (id, room_id, target, body, created_at)
     SELECT value ->> 0, ?, ?, value ->> 1, value ->> 2 FROM json_each(?) ORDER BY key`,
    roomId,
    room.webhook,
    JSON.stringify(events().map(({ id, at, event }) => [id, JSON.stringify(event), at])),
  )
  return true
}

/** The entry or exit of a participant. */
export interface Move extends Counts {
  action: Event['action']
  session: Pick<LiveSession, 'id' | 'roomId' | 'memberId' | 'userId'>
  /** When it happened, in milliseconds since 1970. */
  at: number
}

/** Inside `store.write`: puts entries and exits of a room into the outbox (section 6.1). */
export function announce(store: Store, newId: () => string, roomId: string, moves: readonly Move[]): void {
  enqueue(store, roomId, () => moves.map((move) => toAnnounced(newId(), move)))
}

function toAnnounced(id: string, { action, session, at, sessionsCount, membersCount }: Move): Announced {
  const payload = {
    roomId: session.roomId,
    ...(session.userId === null ? {} : { userId: session.userId }),
    memberId: session.memberId,
    sessionId: session.id,
    sessionsCount,
    membersCount,
    timestamp: timestamp(at),
  }
  return { id: `msg_${id}`, at, event: { action, payload } }
}
