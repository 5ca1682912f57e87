import { groupBy } from '../../api/group-by.ts'
import type { EndReason } from '../../api/vocabulary.ts'
import { listEnds, recordEnds } from '../store/ended.ts'
import type { Store } from '../store/store.ts'
import { enqueueOrPack, findWebhook, type PresenceChange, pack } from '../webhooks/outbox.ts'
import { isParticipant, Roster } from './roster.ts'
import type { ConnectedSession } from './session-control.ts'

type RecordedSession = Omit<ConnectedSession, 'peer' | 'clockOffset'>

/** Default maximum number of ends to record directly. Recording so many takes a few milliseconds. */
const defaultMaxDirectEnds = 500

export interface DepartureDeps<S extends RecordedSession> {
  store: Store
  newId(): string
  roster: Roster<S>
  /** Called after a commit that defers session ends, and repeatedly while deferred ends remain. */
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
  for (const [endTime, ended] of groupBy(sessions, at))
    (isDeferred ? listEnds : recordEnds)(store, ended, endTime, reason)
  if (isDeferred) store.afterCommit(onEndsListed)
  const roomsWithEvents: string[] = []
  for (const [roomId, roomSessions] of rooms) {
    const target = findWebhook(store, roomId)
    const changes: PresenceChange[] = []
    for (const session of roomSessions) {
      roster.remove(session)
      if (target === undefined || !isParticipant(session)) continue
      const { id: sessionId, memberId, userId, connectedAt } = session
      changes.push({
        ...{ action: 'sessionLeft', sessionId, memberId, userId },
        at: Math.max(connectedAt, at(session)),
        ...roster.countParticipants(roomId),
      })
    }
    if (target === undefined || changes.length === 0) continue
    if (isDeferred) pack(store, roomId, target, changes)
    else enqueueOrPack(store, newId, roomId, target, changes)
    roomsWithEvents.push(roomId)
  }
  return roomsWithEvents
}

export function groupByRoom<S extends RecordedSession>(sessions: readonly S[]): Map<string, S[]> {
  return groupBy(sessions, ({ roomId }) => roomId)
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
