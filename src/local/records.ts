import { deprecated, type MemberType, type RoomType } from '../api/vocabulary.ts'
import { notFound } from './faults.ts'
import type { Live } from './live/live.ts'
import type { Store } from './store/store.ts'
import { withUnlisted } from './unlisted.ts'
import { timestamp } from './values.ts'

export interface RoomRow {
  id: string
  type: RoomType
  name: string
  layout: string
  record: number
  max_meeting_seconds: number | null
  /** Meeting time in all. */
  meeting_ms: number
  /** What of it had passed when the room was last reopened: `max_meeting_seconds` counts from there. */
  meeting_from_ms: number
  webhook: string | null
  started_at: number | null
  terminated_at: number | null
  /** Fields that the API does not list, as JSON; null when there are none. */
  unlisted: string | null
  created_at: number
  updated_at: number
}

/** What answers say something of. */
export type ListedRoom = Omit<RoomRow, 'webhook' | 'meeting_from_ms'>

export interface MemberRow {
  id: string
  room_id: string
  /** Null for an anonymous participant of an open room. */
  user_id: string | null
  type: MemberType
  name: string | null
  is_blocked: number
  /** Fields that the API does not list, as JSON; null when there are none. */
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
  /** Fields that the API does not list, as JSON; null when there are none. */
  unlisted: string | null
  created_at: number
  updated_at: number
}

export interface SessionRow {
  seq: number
  id: string
  member_id: string
  user_id: string | null
  connected_at: number
  disconnected_at: number | null
}

/** @throws {Fault} when there is no such room */
export function requireRoom(store: Store, id: string): RoomRow {
  const row = store.one<RoomRow>('SELECT * FROM rooms WHERE id = ?', id)
  if (!row) throw notFound('room')
  return row
}

/** @throws {Fault} when there is no such room, or no such member of it */
export function requireMember(store: Store, roomId: string, id: string): MemberRow {
  requireRoom(store, roomId)
  const row = store.one<MemberRow>('SELECT * FROM present_members WHERE id = ? AND room_id = ?', id, roomId)
  if (!row) throw notFound('member')
  return row
}

/** @throws {Fault} when there is no such user */
export function requireUser(store: Store, userId: string): UserRow {
  const row = store.one<UserRow>('SELECT * FROM users WHERE user_id = ?', userId)
  if (!row) throw notFound('user')
  return row
}

/** Section 2.1. */
export function toRoom(
  row: ListedRoom,
  { live, applicationId }: { live: Pick<Live, 'meetingMs'>; applicationId: string },
) {
  const record = {
    id: row.id,
    type: row.type,
    name: row.name,
    application_id: applicationId,
    thumbnail_url: null,
    layout: row.layout,
    record: row.record === 1,
    // Whole seconds: the document gives no unit.
    meeting_time: Math.floor((live.meetingMs(row.id) ?? row.meeting_ms) / 1000),
    max_meeting_seconds: row.max_meeting_seconds,
    started_at: timestamp(row.started_at),
    terminated_at: timestamp(row.terminated_at),
    updated_at: timestamp(row.updated_at),
    created_at: timestamp(row.created_at),
    created_user_id: deprecated,
    last_thumbnail_updated_at: deprecated,
    room_template_id: deprecated,
    is_terminated: deprecated,
    is_ephemeral: deprecated,
    is_recurring: deprecated,
  }
  return withUnlisted(record, row.unlisted)
}

/** Section 2.2. */
export function toMember(row: MemberRow) {
  const record = {
    id: row.id,
    user_id: row.user_id,
    room_id: row.room_id,
    type: row.type,
    name: row.name,
    is_blocked: row.is_blocked === 1,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
  return withUnlisted(record, row.unlisted)
}

/** Section 2.3, without the internal id, which only lists show. */
export function toUser(row: UserRow) {
  const record = {
    user_id: row.user_id,
    name: row.name,
    profile_url: row.profile_url,
    default_member_type: row.default_member_type,
    email: row.email,
    access_token: row.access_token,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
  }
  return withUnlisted(record, row.unlisted)
}

/** Section 2.4. */
export function toSession(row: SessionRow) {
  return {
    id: row.id,
    member_id: row.member_id,
    user_id: row.user_id,
    connected_at: timestamp(row.connected_at),
    disconnected_at: timestamp(row.disconnected_at),
  }
}
