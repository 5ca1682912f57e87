import type { MemberType } from '../../api/vocabulary.ts'
import type { ParticipantCounts } from '../webhooks/outbox.ts'
import type { ConnectedSession } from './session-control.ts'

type RosterSession = Pick<ConnectedSession, 'roomId' | 'memberId' | 'userId' | 'type'>

interface Room<S> {
  readonly sessions: Set<S>
  readonly participants: Map<string, number>
  total: number
}

/** Connected sessions by room and user. All operations take constant time per session. */
export class Roster<S extends RosterSession> {
  readonly #rooms = new Map<string, Room<S>>()
  readonly #users = new Map<string, Set<S>>()

  add(session: S): void {
    const { roomId, userId } = session
    const room = this.#rooms.get(roomId) ?? { sessions: new Set(), participants: new Map(), total: 0 }
    if (room.sessions.has(session)) return
    this.#rooms.set(roomId, room)
    room.sessions.add(session)
    if (userId !== null) this.#users.set(userId, (this.#users.get(userId) ?? new Set()).add(session))
    updateCounts(room, session, 1)
  }

  remove(session: S): void {
    const { roomId, userId } = session
    const room = this.#rooms.get(roomId)
    if (!room?.sessions.delete(session)) return
    updateCounts(room, session, -1)
    if (room.sessions.size === 0) this.#rooms.delete(roomId)
    if (userId === null) return
    const sessions = this.#users.get(userId)
    sessions?.delete(session)
    if (sessions?.size === 0) this.#users.delete(userId)
  }

  setType(session: S, type: MemberType): void {
    const room = this.#rooms.get(session.roomId)
    if (room) updateCounts(room, session, -1)
    session.type = type
    if (room) updateCounts(room, session, 1)
  }

  has(session: S): boolean {
    return this.#rooms.get(session.roomId)?.sessions.has(session) ?? false
  }

  listRoomSessions(roomId: string): S[] {
    return [...(this.#rooms.get(roomId)?.sessions ?? [])]
  }

  listUserSessions(userId: string): S[] {
    return [...(this.#users.get(userId) ?? [])]
  }

  listAll(): S[] {
    return [...this.#rooms.values()].flatMap(({ sessions }) => [...sessions])
  }

  countParticipants(roomId: string): ParticipantCounts {
    const room = this.#rooms.get(roomId)
    return { sessionsCount: room?.total ?? 0, membersCount: room?.participants.size ?? 0 }
  }
}

function updateCounts(room: Room<unknown>, session: RosterSession, change: 1 | -1): void {
  if (!isParticipant(session)) return
  room.total += change
  const remaining = (room.participants.get(session.memberId) ?? 0) + change
  if (remaining > 0) room.participants.set(session.memberId, remaining)
  else room.participants.delete(session.memberId)
}

/** Returns false for a monitor, which watches without taking part (API specification, “Member”). */
export function isParticipant({ type }: Pick<ConnectedSession, 'type'>): boolean {
  return type !== 'monitor'
}
