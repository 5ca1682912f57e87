import type { MemberType } from '../../api/vocabulary.ts'
import { Fault, notFound, unauthorized } from '../common/faults.ts'
import { requireRoom } from '../records/records.ts'
import type { MemberRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

export interface AdmissionDeps {
  store: Store
  now(): number
  newId(): string
}

export interface Admission {
  roomId: string
  memberId: string
  userId: string | null
  type: MemberType
  /** The `seq` of an anonymous member; null for a user. */
  guestSeq: number | null
}

/** Creates the error for a client that is not authorized. Its status is 400 (API specification, section 7). */
const createRefusal = (message: string) => new Fault(400, 'refused', message)

/**
 * Admits a client to a room, and adds a member if needed (API specification, section 2.1). Call inside `store.write`.
 * @param token a user's `access_token`; undefined for an anonymous client
 * @throws {Fault} when the client may not join
 */
export function admit(
  { store, now, newId }: AdmissionDeps,
  roomId: string,
  token: string | undefined,
): Admission {
  const room = requireRoom(store, roomId)
  if (room.terminated_at !== null) throw new Fault(400, 'terminated', 'the room is terminated')
  const user =
    token === undefined
      ? undefined
      : store.one<{ user_id: string; name: string | null; default_member_type: MemberType }>(
          'SELECT * FROM users WHERE access_token = ?',
          token,
        )
  if (token !== undefined && !user) throw unauthorized('the access token is not valid')
  if (!user && room.type !== 'open') throw unauthorized('this room needs the access token of a user')

  const member =
    user &&
    store.one<MemberRow>('SELECT * FROM members WHERE room_id = ? AND user_id = ?', roomId, user.user_id)
  if (room.type === 'private') {
    if (!member) throw createRefusal('only invited users can join this room')
    if (member.is_blocked) throw createRefusal('blocked')
  }
  if (member)
    return { roomId, memberId: member.id, userId: member.user_id, type: member.type, guestSeq: null }

  const memberId = newId()
  const type = user?.default_member_type ?? 'guest'
  const userId = user?.user_id ?? null
  const seq = store.insert(
    'INSERT INTO members (id, room_id, user_id, type, name, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
    memberId,
    roomId,
    userId,
    type,
    user?.name ?? null,
    now(),
    now(),
  )
  return { roomId, memberId, userId, type, guestSeq: user ? null : seq }
}

export function parseConnectPath(pathname: string): string | undefined {
  const [, segment] = /^\/v1\/rooms\/([^/]+)\/connect$/.exec(pathname) ?? []
  if (segment === undefined) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound('room')
  }
}
