import type { EndReason } from '../../api/vocabulary.ts'
import { listEnds, recordEnds } from '../store/ended.ts'
import type { Store } from '../store/store.ts'
import type { Counts } from '../webhooks/outbox.ts'
import { announce, findWebhook, type Move, pack } from '../webhooks/outbox.ts'
import type { LiveSession } from './live.ts'
import { isParticipant, type Roster } from './roster.ts'

export type RecordedSession = Omit<LiveSession, 'peer' | 'clockOffset'>

/** Ends recorded per step: a few milliseconds of work. */
const defaultMaxDirectEnds = 500

export interface Departures<S extends RecordedSession> {
  store: Store
  newId(): string
  roster: Roster<S>
  /** Runs after ends are listed on disk; see store/ended.ts. */
  onListed(): void
  maxDirectEnds?: number | undefined
}

/**
 * Removes sessions from the roster and records their ends, later when they are many. Call inside `store.write`.
 * @param at end of a session in milliseconds since 1970; its start is used if later
 * @returns the rooms with events to deliver
 */
export function recordDepartures<S extends RecordedSession>(
  { store, newId, roster, onListed, maxDirectEnds = defaultMaxDirectEnds }: Departures<S>,
  rooms: ReadonlyMap<string, readonly S[]>,
  at: (session: S) => number,
  reason: EndReason,
): string[] {
  const sessions = [...rooms.values()].flat()
  const many = sessions.length > maxDirectEnds
  for (const [moment, ended] of groupByMoment(sessions, at))
    (many ? listEnds : recordEnds)(store, ended, moment, reason)
  if (many) store.afterCommit(onListed)
  const announced: string[] = []
  for (const [roomId, left] of rooms) {
    const target = findWebhook(store, roomId)
    if (target === undefined) {
      roster.removeAll(roomId, left)
      continue
    }
    const moves: Move[] = []
    for (const session of left) {
      roster.remove(session)
      if (isParticipant(session)) moves.push(toExit(session, at(session), roster.counts(roomId)))
    }
    if (moves.length === 0) continue
    if (many) pack(store, roomId, target, moves)
    else announce(store, newId, roomId, target, moves)
    announced.push(roomId)
  }
  return announced
}

function toExit({ id, memberId, userId, connectedAt }: RecordedSession, at: number, counts: Counts): Move {
  const { sessionsCount, membersCount } = counts
  return {
    action: 'sessionLeft',
    sessionId: id,
    memberId,
    userId,
    at: Math.max(connectedAt, at),
    sessionsCount,
    membersCount,
  }
}

function groupByMoment<S>(sessions: readonly S[], at: (session: S) => number): Map<number, S[]> {
  const moments = new Map<number, S[]>()
  for (const session of sessions) {
    const others = moments.get(at(session))
    if (others) others.push(session)
    else moments.set(at(session), [session])
  }
  return moments
}

export function groupByRoom<S extends Pick<LiveSession, 'roomId'>>(sessions: readonly S[]): Map<string, S[]> {
  const rooms = new Map<string, S[]>()
  for (const session of sessions) {
    const others = rooms.get(session.roomId)
    if (others) others.push(session)
    else rooms.set(session.roomId, [session])
  }
  return rooms
}
