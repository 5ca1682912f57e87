import type { MemberType } from '../../api/vocabulary.ts'
import { Fault, notFound, unauthorized } from '../common/faults.ts'
import { requireRoom } from '../records/records.ts'
import type { MemberRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'

/** What it takes to let people in. */
export interface AdmissionDeps {
  store: Store
  /** Milliseconds since 1970. */
  now(): number
  newId(): string
}

/** Who comes in, and as what. */
export interface Admission {
  roomId: string
  memberId: string
  userId: string | null
  type: MemberType
  /** The `seq` of an anonymous member; null for a user. */
  guestSeq: number | null
}

/** Section 7: whoever is not authorized gets a 400. */
const refused = (message: string) => new Fault(400, 'refused', message)

/**
 * Inside `store.write`: decides whether the bearer of an access token may join a room, and makes a member of whoever
 * is not one yet. Open rooms take anyone, public rooms any user of the workspace, private rooms invited members who are
 * not blocked (section 2.1).
 * @param token a user’s `access_token`; undefined for the anonymous
 * @throws {Fault} for whoever may not join
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
    if (!member) throw refused('only invited users can join this room')
    if (member.is_blocked) throw refused('blocked')
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

/** The room that a path connects to, undefined for any other path. */
export function roomToConnect(pathname: string): string | undefined {
  const [, segment] = /^\/v1\/rooms\/([^/]+)\/connect$/.exec(pathname) ?? []
  if (segment === undefined) return undefined
  try {
    return decodeURIComponent(segment)
  } catch {
    throw notFound('room')
  }
}
