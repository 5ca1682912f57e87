import type { Output } from '../../api/operation-types.ts'
import type { Operations } from '../../api/operations.ts'
import { deprecated } from '../../api/vocabulary.ts'
import { notFound } from '../common/faults.ts'
import { formatTimestamp } from '../common/values.ts'
import type {
  DeliveryRow,
  ListedRoom,
  MemberRow,
  PageRow,
  RoomRow,
  SessionRow,
  UserRow,
} from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { addUnlisted, readStored } from './unlisted.ts'

/** @throws {Fault} without a row */
function requireRow<Row>(row: Row | undefined, what: string): Row {
  if (!row) throw notFound(what)
  return row
}

export function requireRoom(store: Store, id: string): RoomRow {
  return requireRow(store.one<RoomRow>('SELECT * FROM rooms WHERE id = ?', id), 'room')
}

export function requireMember(store: Store, roomId: string, id: string): MemberRow {
  requireRoom(store, roomId)
  const row = store.one<MemberRow>('SELECT * FROM present_members WHERE id = ? AND room_id = ?', id, roomId)
  return requireRow(row, 'member')
}

export function requireUser(store: Store, userId: string): UserRow {
  return requireRow(store.one<UserRow>('SELECT * FROM users WHERE user_id = ?', userId), 'user')
}

interface RoomContext {
  sessionControl: { meetingMs(roomId: string): number | undefined }
  applicationId: string
}

/** Converts a row to a Room (API specification, “Room”). */
export function toRoom(row: ListedRoom, { sessionControl, applicationId }: RoomContext) {
  const meetingMs = sessionControl.meetingMs(row.id) ?? row.meeting_ms
  const record = {
    id: row.id,
    type: row.type,
    name: row.name,
    application_id: applicationId,
    thumbnail_url: null,
    layout: row.layout,
    record: row.record === 1,
    // The unit is assumed to be whole seconds, because the API specification gives no unit.
    meeting_time: Math.floor(meetingMs / 1000),
    max_meeting_seconds: row.max_meeting_seconds,
    remaining_seconds: computeRemainingSeconds(row, meetingMs),
    started_at: formatTimestamp(row.started_at),
    terminated_at: formatTimestamp(row.terminated_at),
    updated_at: formatTimestamp(row.updated_at),
    created_at: formatTimestamp(row.created_at),
    created_user_id: deprecated,
    last_thumbnail_updated_at: deprecated,
    room_template_id: deprecated,
    is_terminated: deprecated,
    is_ephemeral: deprecated,
    is_recurring: deprecated,
  }
  return addUnlisted(record, row.unlisted)
}

/** Returns the remaining meeting time in seconds: null without a limit, else 0 if terminated. */
function computeRemainingSeconds(row: ListedRoom, meetingMs: number): number | null {
  if (row.max_meeting_seconds === null) return null
  if (row.terminated_at !== null) return 0
  return Math.max(0, row.max_meeting_seconds - Math.floor((meetingMs - row.meeting_from_ms) / 1000))
}

export function toMember(row: MemberRow) {
  const record = {
    id: row.id,
    user_id: row.user_id,
    room_id: row.room_id,
    type: row.type,
    name: row.name,
    is_blocked: row.is_blocked === 1,
    access_token: row.access_token,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }
  return addUnlisted(record, row.unlisted)
}

/** Converts a row to a User (API specification, “User”), without the internal `id` of list items. */
export function toUser(row: UserRow) {
  const record = {
    user_id: row.user_id,
    name: row.name,
    profile_url: row.profile_url,
    default_member_type: row.default_member_type,
    email: row.email,
    access_token: row.access_token,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  }
  return addUnlisted(record, row.unlisted)
}

export function toSession(row: SessionRow, now: number) {
  const elapsedMs = (row.disconnected_at ?? now) - row.connected_at
  return {
    id: row.id,
    member_id: row.member_id,
    user_id: row.user_id,
    connected_at: formatTimestamp(row.connected_at),
    disconnected_at: formatTimestamp(row.disconnected_at),
    // Omits the unknown reason of an ended session, because null means that the session is open.
    ...((row.end_reason !== null || row.disconnected_at === null) && { end_reason: row.end_reason }),
    elapsed_time: Math.max(0, Math.floor(elapsedMs / 1000)),
    ...(row.ip_address !== null && { ip_address: row.ip_address }),
    ...(row.user_agent !== null && { user_agent: row.user_agent }),
  }
}

type Entities = Output<Operations['listPages']>['pages'][number]['entities']

export function toSize({ width, height }: PageRow) {
  return width === null || height === null ? null : { width, height }
}

export function toPage(row: PageRow) {
  const entities = readStored(row.entities) as Entities
  return addUnlisted({ id: row.id, entities, size: toSize(row), index: row.position }, row.unlisted)
}

export function toDelivery(row: DeliveryRow) {
  const { url } = readStored(row.target) as { url: string }
  const { action, payload } = readStored(row.body) as { action: string; payload: { userId?: string } }
  return {
    id: row.id,
    room_id: row.room_id,
    action,
    user_id: payload.userId ?? null,
    state: row.state,
    attempts: row.attempts,
    last_status: row.last_status,
    last_error: row.last_error,
    last_body: row.last_body,
    last_attempt_at: formatTimestamp(row.last_at),
    next_attempt_at: formatTimestamp(row.next_at),
    redeliveries: row.redeliveries,
    url: hideCredentials(url),
    created_at: formatTimestamp(row.created_at),
    finished_at: formatTimestamp(row.finished_at),
  }
}

/** Removes the credentials, the query and the fragment of a URL, which often contain secrets. */
function hideCredentials(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
