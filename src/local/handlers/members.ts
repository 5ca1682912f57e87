import type { MemberType } from '../../api/vocabulary.ts'
import { forbidden, invalid } from '../faults.ts'
import { endings } from '../live/live.ts'
import { type MemberRow, requireMember, requireRoom, toMember } from '../records.ts'
import { listPage } from '../store/listing.ts'
import type { Desk, Handlers } from './handler.ts'

/**
 * Makes a user a member of a room, of the given type or else the user’s default one. A user who is a member already
 * gets the given type.
 * @param field where the user was named, for the message
 */
export function invite(
  { store, now, newId }: Desk,
  roomId: string,
  {
    user_id,
    type,
    name,
  }: {
    user_id: string
    type?: MemberType | undefined
    name?: string | undefined
  },
  field: string,
): MemberRow {
  const user = store.one<{
    default_member_type: MemberType
    name: string | null
  }>('SELECT default_member_type, name FROM users WHERE user_id = ?', user_id)
  if (!user) throw invalid(`${field}: no such user`)
  const time = now()
  store.run(
    `INSERT INTO members (id, room_id, user_id, type, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (room_id, user_id) DO UPDATE SET
       type = coalesce(?, type), name = coalesce(?, name), updated_at = excluded.updated_at`,
    newId(),
    roomId,
    user_id,
    type ?? user.default_member_type,
    name ?? user.name,
    time,
    time,
    type ?? null,
    name ?? null,
  )
  const row = store.one<MemberRow>('SELECT * FROM members WHERE room_id = ? AND user_id = ?', roomId, user_id)
  if (!row) throw new Error('an invited member is missing')
  return row
}

export const memberHandlers = {
  listMembers({ store }, { params, query }) {
    requireRoom(store, params.room_id)
    const { rows, paging } = listPage<MemberRow>(store, {
      from: 'members WHERE room_id = ?',
      values: [params.room_id],
      paging: query,
    })
    return { members: rows.map(toMember), paging }
  },

  addMember(desk, { params, body }) {
    requireRoom(desk.store, params.room_id)
    return { member: toMember(invite(desk, params.room_id, body, 'user_id')) }
  },

  getMember({ store }, { params }) {
    return {
      member: toMember(requireMember(store, params.room_id, params.member_id)),
    }
  },

  updateMember({ store, now, live }, { params, body }) {
    const member = requireMember(store, params.room_id, params.member_id)
    // Rule 2: is_blocked works only on rooms of type private.
    if (body.is_blocked && requireRoom(store, params.room_id).type !== 'private')
      throw forbidden('is_blocked works only on rooms of type private')
    if (body.is_blocked) live.end(params.room_id, endings.blocked, ({ memberId }) => memberId === member.id)
    store.run(
      'UPDATE members SET name = ?, type = ?, is_blocked = ?, updated_at = ? WHERE id = ?',
      body.name ?? member.name,
      body.type ?? member.type,
      body.is_blocked === undefined ? member.is_blocked : Number(body.is_blocked),
      now(),
      member.id,
    )
    return {
      member: toMember(requireMember(store, params.room_id, member.id)),
    }
  },
} satisfies Partial<Handlers>
