import type { SessionEnd } from '../../../attendance/session-times.ts'

/** State of a room. Null for fields that the service omits. */
export interface RoomState {
  terminated_at: unknown
  name: unknown
  status: unknown
}

/** A person in a room. Null for fields that the service omits. */
export interface Person {
  connected_at: unknown
  session_id: unknown
  member_id: unknown
  user_id: unknown
  name: unknown
}

/** Events of a watched room. */
export type WatchEvent =
  /** Initial state, and each change. */
  | ({ event: 'room' } & RoomState)
  | ({ event: 'present' } & Person)
  | { event: 'ready'; online: number }
  | ({ event: 'joined'; online: number } & Person)
  | ({ event: 'left'; online: number } & Person & SessionEnd)
  | { event: 'lost'; reason: string }
  | { event: 'back'; seconds: number }

/** An event with the time of its detection (`at`). */
export type TimedWatchEvent = { at: string; room_id: string } & WatchEvent
