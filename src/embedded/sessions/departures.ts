import type { EndReason } from '../../api/vocabulary.ts'
import { listEnds, recordEnds } from '../store/ended.ts'
import type { Store } from '../store/store.ts'
import type { ParticipantCounts } from '../webhooks/outbox.ts'
import { enqueueOrPack, findWebhook, type PresenceChange, pack } from '../webhooks/outbox.ts'
import { isParticipant, Roster } from './roster.ts'
import type { ConnectedSession } from './session-control.ts'

type RecordedSession = Omit<ConnectedSession, 'peer' | 'clockOffset'>

/** Default maximum number of ends to record directly. Recording so many takes a few milliseconds. */
const defaultMaxDirectEnds = 500

interface DepartureDeps<S extends RecordedSession> {
  store: Store
  newId(): string
  roster: Roster<S>
  /** Called after a commit that defers session ends: see `listEnds`. */
  onEndsListed(): void
  maxDirectEnds?: number | undefined
}

/**
 * Ends sessions, and adds any webhook events. Call inside `store.write`.
 * @param at returns the end of a session in milliseconds since 1970
 * @returns the IDs of the rooms with events to deliver
 */
export function recordDepartures<S extends RecordedSession>(
  { store, newId, roster, onEndsListed, maxDirectEnds = defaultMaxDirectEnds }: DepartureDeps<S>,
  rooms: ReadonlyMap<string, readonly S[]>,
  at: (session: S) => number,
  reason: EndReason,
): string[] {
  const sessions = [...rooms.values()].flat()
  const isDeferred = sessions.length > maxDirectEnds
  for (const [endTime, ended] of groupByEndTime(sessions, at))
    (isDeferred ? listEnds : recordEnds)(store, ended, endTime, reason)
  if (isDeferred) store.afterCommit(onEndsListed)
  const roomsWithEvents: string[] = []
  for (const [roomId, roomSessions] of rooms) {
    const target = findWebhook(store, roomId)
    if (target === undefined) {
      roster.removeAll(roomId, roomSessions)
      continue
    }
    const changes: PresenceChange[] = []
    for (const session of roomSessions) {
      roster.remove(session)
      if (isParticipant(session))
        changes.push(toExitChange(session, at(session), roster.countParticipants(roomId)))
    }
    if (changes.length === 0) continue
    if (isDeferred) pack(store, roomId, target, changes)
    else enqueueOrPack(store, newId, roomId, target, changes)
    roomsWithEvents.push(roomId)
  }
  return roomsWithEvents
}

function toExitChange(
  { id, memberId, userId, connectedAt }: RecordedSession,
  at: number,
  counts: ParticipantCounts,
): PresenceChange {
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

function groupByEndTime<S>(sessions: readonly S[], at: (session: S) => number): Map<number, S[]> {
  const groups = new Map<number, S[]>()
  for (const session of sessions) {
    const group = groups.get(at(session))
    if (group) group.push(session)
    else groups.set(at(session), [session])
  }
  return groups
}

export function groupByRoom<S extends Pick<ConnectedSession, 'roomId'>>(
  sessions: readonly S[],
): Map<string, S[]> {
  const rooms = new Map<string, S[]>()
  for (const session of sessions) {
    const group = rooms.get(session.roomId)
    if (group) group.push(session)
    else rooms.set(session.roomId, [session])
  }
  return rooms
}

/** Stores the time at which open sessions end after a crash. Call inside `store.write`. */
export function storeAliveTime(store: Store, now: number): void {
  store.run('UPDATE workspace SET alive_at = ?', now)
}

/**
 * Closes the open sessions of a previous run. Call inside `store.write`, before the first `join`.
 * @returns the IDs of the rooms with events to deliver
 */
export function closeAbandonedSessions(deps: Omit<DepartureDeps<RecordedSession>, 'roster'>): string[] {
  const { store } = deps
  const aliveAt = store.one<{ alive_at: number }>('SELECT alive_at FROM workspace')?.alive_at ?? 0
  const openSessions = store.all<RecordedSession>(
    `SELECT seq, id, room_id AS roomId, member_id AS memberId, user_id AS userId, type, connected_at AS connectedAt,
       (SELECT seq FROM members WHERE members.id = member_id AND members.user_id IS NULL) AS guestSeq
     FROM sessions
     WHERE disconnected_at IS NULL AND NOT EXISTS (SELECT 1 FROM ended_sessions WHERE ended_sessions.seq = sessions.seq)
     ORDER BY seq`,
  )
  const roster = new Roster<RecordedSession>()
  for (const session of openSessions) roster.add(session)
  return recordDepartures({ ...deps, roster }, groupByRoom(openSessions), () => aliveAt, 'lost')
}
