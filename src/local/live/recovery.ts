import type { MemberType } from '../../api/vocabulary.ts'
import type { Store } from '../store/store.ts'
import { announce } from './outbox.ts'

/** Inside `store.write`: stores that the service is alive now. After a crash, open sessions end at this moment. */
export function noteAlive(store: Store, now: number): void {
  store.run('UPDATE workspace SET alive_at = ?', now)
}

interface OpenSession {
  id: string
  room_id: string
  member_id: string
  user_id: string | null
  connected_at: number
  type: MemberType
}

/**
 * Inside `store.write`, before anybody joins: closes the sessions that a crash left open, each at the last moment at
 * which the service is known to have run.
 * @returns the rooms they were in
 */
export function closeAbandonedSessions(store: Store, newId: () => string): Set<string> {
  const alive = store.one<{ alive_at: number }>('SELECT alive_at FROM workspace')?.alive_at ?? 0
  const left = store.all<OpenSession>('SELECT * FROM sessions WHERE disconnected_at IS NULL ORDER BY seq')
  for (const [i, row] of left.entries()) {
    const at = Math.max(row.connected_at, alive)
    store.run('UPDATE sessions SET disconnected_at = ? WHERE id = ?', at, row.id)
    if (row.user_id === null) store.run('DELETE FROM members WHERE id = ?', row.member_id)
    if (row.type === 'monitor') continue
    const others = left
      .slice(i + 1)
      .filter(({ room_id, type }) => room_id === row.room_id && type !== 'monitor')
    announce(store, newId, {
      action: 'sessionLeft',
      session: { id: row.id, roomId: row.room_id, memberId: row.member_id, userId: row.user_id },
      at,
      sessionsCount: others.length,
      membersCount: new Set(others.map(({ member_id }) => member_id)).size,
    })
  }
  return new Set(left.map(({ room_id }) => room_id))
}
