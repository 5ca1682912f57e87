import type { DeliveryRow, ListedRoom, MemberRow, PageRow, SessionRow, UserRow } from '../store/rows.ts'

export const columns = {
  rooms: [
    'id',
    'type',
    'name',
    'layout',
    'record',
    'max_meeting_seconds',
    'meeting_ms',
    'meeting_from_ms',
    'started_at',
    'terminated_at',
    'unlisted',
    'created_at',
    'updated_at',
  ],
  users: [
    'id',
    'user_id',
    'name',
    'profile_url',
    'default_member_type',
    'email',
    'access_token',
    'unlisted',
    'created_at',
    'updated_at',
  ],
  members: [
    'id',
    'room_id',
    'user_id',
    'type',
    'name',
    'is_blocked',
    'access_token',
    'unlisted',
    'created_at',
    'updated_at',
  ],
  sessions: [
    'id',
    'member_id',
    'user_id',
    'connected_at',
    'disconnected_at',
    'end_reason',
    'ip_address',
    'user_agent',
  ],
  pages: ['seq', 'id', 'position', 'width', 'height', 'entities', 'unlisted', 'created_at'],
  deliveries: [
    'id',
    'room_id',
    'target',
    'body',
    'state',
    'attempts',
    'redeliveries',
    'next_at',
    'last_at',
    'last_status',
    'last_error',
    'last_body',
    'created_at',
    'finished_at',
  ],
} as const satisfies {
  rooms: readonly (keyof ListedRoom)[]
  users: readonly (keyof UserRow)[]
  members: readonly (keyof MemberRow)[]
  sessions: readonly (keyof SessionRow)[]
  pages: readonly (keyof PageRow)[]
  deliveries: readonly (keyof DeliveryRow)[]
}
