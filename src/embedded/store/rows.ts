import type { DeliveryState, EndReason, MemberType, RoomType } from '../../api/vocabulary.ts'

/** Maximum of a column that accumulates. Integers above Number.MAX_SAFE_INTEGER may not be exact. */
export const maxTotal = 2 ** 52

export interface RoomRow {
  id: string
  type: RoomType
  name: string
  layout: string
  record: number
  max_meeting_seconds: number | null
  /** Total meeting time up to the last save, in milliseconds. */
  meeting_ms: number
  /** Value of `meeting_ms` from which `max_meeting_seconds` counts; set when the room is reopened. */
  meeting_from_ms: number
  webhook: string | null
  started_at: number | null
  terminated_at: number | null
  /** Unlisted fields as JSON; null without unlisted fields. */
  unlisted: string | null
  created_at: number
  updated_at: number
}

/** Columns of a room that responses need. */
export type ListedRoom = Omit<RoomRow, 'webhook'>

export interface MemberRow {
  id: string
  room_id: string
  /** Null for an anonymous participant of an open room. */
  user_id: string | null
  type: MemberType
  name: string | null
  is_blocked: number
  /** Null for an anonymous participant. */
  access_token: string | null
  unlisted: string | null
  created_at: number
  updated_at: number
}

export interface UserRow {
  id: string
  user_id: string
  name: string | null
  profile_url: string | null
  default_member_type: MemberType
  email: string | null
  access_token: string
  unlisted: string | null
  created_at: number
  updated_at: number
}

export interface SessionRow {
  id: string
  member_id: string
  user_id: string | null
  connected_at: number
  disconnected_at: number | null
  /** Null while the session is open, or if no reason was recorded. */
  end_reason: EndReason | null
  /** Null if unknown, and for a session of a seed or of an earlier version. */
  ip_address: string | null
  /** Null if unknown, such as for a session of a seed. */
  user_agent: string | null
}

export interface PageRow {
  id: string
  position: number
  width: number | null
  height: number | null
  /** List of entities as JSON. */
  entities: string
  unlisted: string | null
}

export interface DeliveryRow {
  seq: number
  /** The `webhook-id`, equal for all attempts. */
  id: string
  room_id: string
  /** Webhook as JSON: `{url, headers?, secret?}`. */
  target: string
  body: string
  state: DeliveryState
  attempts: number
  redeliveries: number
  /** Value of `attempts` before the last redelivery; 0 without a redelivery. */
  round_start: number
  /** Time of the last request for a redelivery, in milliseconds since 1970; null without one. */
  round_at: number | null
  /** Time of the next retry in milliseconds since 1970; null if no retry is scheduled. */
  next_at: number | null
  last_at: number | null
  last_status: number | null
  last_error: string | null
  last_body: string | null
  created_at: number
  /** Null while the delivery waits. */
  finished_at: number | null
}
