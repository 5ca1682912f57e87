import type { Store } from '../store/store.ts'
import { depart, type Recorded } from './departures.ts'
import { Roster } from './roster.ts'

/** Inside `store.write`: stores that the service is alive now. After a crash, open sessions end at this moment. */
export function noteAlive(store: Store, now: number): void {
  store.run('UPDATE workspace SET alive_at = ?', now)
}

/**
 * Inside `store.write`, before anybody joins: closes the sessions that a crash left open, each at the last moment at
 * which the service is known to have run.
 * @returns the rooms they were in
 */
export function closeAbandonedSessions(store: Store, newId: () => string): Set<string> {
  const alive = store.one<{ alive_at: number }>('SELECT alive_at FROM workspace')?.alive_at ?? 0
  const left = store.all<Recorded & { connectedAt: number }>(
    `SELECT id, room_id AS roomId, member_id AS memberId, user_id AS userId, type, connected_at AS connectedAt
     FROM sessions WHERE disconnected_at IS NULL ORDER BY seq`,
  )
  const roster = new Roster<(typeof left)[number]>()
  for (const session of left) roster.add(session)
  depart({ store, newId, roster }, left, ({ connectedAt }) => Math.max(connectedAt, alive))
  return new Set(left.map(({ roomId }) => roomId))
}
