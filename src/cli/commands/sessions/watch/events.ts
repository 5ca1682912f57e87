import type { Beginning, Ending } from '../../../attendance/session-times.ts'
import type { endField } from '../../../output/views/views.ts'

/** What there is to tell of a room itself. Null where the service does not tell. */
export interface RoomState extends Record<typeof endField, unknown> {
  name: unknown
  status: unknown
}

/** What there is to tell of somebody in a room. Null where the service does not tell. */
export interface Person extends Beginning {
  session_id: unknown
  member_id: unknown
  user_id: unknown
  name: unknown
}

/** What happens in a room that is watched. */
export type WatchEvent =
  /** How the room is, at first and whenever that has changed. */
  | ({ event: 'room' } & RoomState)
  /** Somebody who was there before the watch began. */
  | ({ event: 'present' } & Person)
  /** What was there at first has been told. */
  | { event: 'ready'; online: number }
  | ({ event: 'joined'; online: number } & Person)
  | ({ event: 'left'; online: number } & Person & Ending)
  /** The service cannot be reached. */
  | { event: 'lost'; reason: string }
  | { event: 'back'; seconds: number }

/** How it is told: `at` is when it was noticed. */
export type TimedWatchEvent = { at: string; room_id: string } & WatchEvent
