import type { MemberType } from '../../api/vocabulary.ts'
import { Fault, notFound, unauthorized } from '../common/faults.ts'
import type { Ids } from '../common/ids.ts'
import { requireRoom } from '../records/records.ts'
import type { MemberRow, UserRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export type AdmissionDeps = Ids & { store: Store; now(): number }

export interface Admission {
  roomId: string
  memberId: string
  userId: string | null
  type: MemberType
  /** The `seq` of an anonymous member; null for a user. */
  guestSeq: number | null
}

/** Creates the error for an uninvited or blocked user, with status 400 (API specification, “Errors”). */
const createRefusal = (message: string) => new Fault(400, 'refused', message)

/** Prefixes a token with the member's ID, so that tokens need no index. */
export function createMemberToken(memberId: string, token: string): string {
  return `${memberId}.${token}`
}

/**
 * Admits a client to a room (API specification, “Room”). Call inside `store.write`.
 * @param token `access_token` of a user or member; undefined for an anonymous client
 * @throws {Fault} if the client cannot join
 */
export function admit(deps: AdmissionDeps, roomId: string, token: string | undefined): Admission {
  const { store, now, newId, newToken } = deps
  const room = requireRoom(store, roomId)
  if (room.terminated_at !== null) throw new Fault(400, 'terminated', 'the room is terminated')
  const user =
    token === undefined ? undefined : store.one<UserRow>('SELECT * FROM users WHERE access_token = ?', token)
  const member = user ? findUserMember(store, roomId, user.user_id) : findMember(store, roomId, token)
  if (token !== undefined && !user && !member) throw unauthorized('the access token is not valid')
  if (token === undefined && room.type !== 'open')
    throw unauthorized('this room needs the access token of a user')
  if (room.type === 'private') {
    if (!member) throw createRefusal('only invited users can join this room')
    if (member.is_blocked) throw createRefusal('blocked')
  }
  if (member)
    return { roomId, memberId: member.id, userId: member.user_id, type: member.type, guestSeq: null }

  const memberId = newId()
  const type = user?.default_member_type ?? 'guest'
  const userId = user?.user_id ?? null
  const seq = store.insert('members', {
    ...{ id: memberId, room_id: roomId, user_id: userId, type, created_at: now(), updated_at: now() },
    name: user?.name ?? null,
    access_token: user ? createMemberToken(memberId, newToken()) : null,
  })
  return { roomId, memberId, userId, type, guestSeq: user ? null : seq }
}

export function findUserMember(store: Store, roomId: string, userId: string): MemberRow | undefined {
  return store.one('SELECT * FROM members WHERE room_id = ? AND user_id = ?', roomId, userId)
}

function findMember(store: Store, roomId: string, token: string | undefined): MemberRow | undefined {
  if (token === undefined) return undefined
  const [id = ''] = token.split('.')
  const sql = 'SELECT * FROM present_members WHERE id = ? AND room_id = ? AND user_id IS NOT NULL'
  const member = store.one<MemberRow>(sql, id, roomId)
  return member?.access_token === token ? member : undefined
}

/**
 * Parses the room ID of `/v1/rooms/{id}/connect`; undefined for any other path.
 * @throws {Fault} if the ID is not valid percent-encoding
 */
export function parseConnectPath(pathname: string): string | undefined {
  const [, segment] = /^\/v1\/rooms\/([^/]+)\/connect$/.exec(pathname) ?? []
  if (segment === undefined) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound('room')
  }
}
