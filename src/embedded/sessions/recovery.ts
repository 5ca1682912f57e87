import type { Store } from '../store/store.ts'
import { type DepartureDeps, groupByRoom, type RecordedSession, recordDepartures } from './departures.ts'
import { Roster } from './roster.ts'

/** Stores the time that becomes the end of open sessions after a crash. Call inside `store.write`. */
export function storeAliveTime(store: Store, now: number): void {
  store.run('UPDATE workspace SET alive_at = ?', now)
}

/**
 * Closes the sessions that a crash left open. Call inside `store.write`, before the first `join`.
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
