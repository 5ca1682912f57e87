import type { Store } from '../store/store.ts'
import type { LiveSession } from './live.ts'
import { announce, type Move } from './outbox.ts'
import { type Roster, takesPart } from './roster.ts'

/** What the records show of a session. */
export type Recorded = Pick<LiveSession, 'id' | 'roomId' | 'memberId' | 'userId' | 'type'>

/**
 * Inside `store.write`: takes sessions off the roster and records that they have ended, with as many statements for
 * thousands as for one. Whoever took part is announced, one after the other.
 * @param at when a session ended, in milliseconds since 1970
 */
export function depart<S extends Recorded>(
  { store, newId, roster }: { store: Store; newId: () => string; roster: Roster<S> },
  sessions: readonly S[],
  at: (session: S) => number,
): void {
  const moves = new Map<string, Move[]>()
  for (const session of sessions) {
    const { roomId } = session
    roster.remove(session)
    if (!takesPart(session)) continue
    const others = moves.get(roomId) ?? []
    others.push({ action: 'sessionLeft', session, at: at(session), ...roster.counts(roomId) })
    moves.set(roomId, others)
  }
  store.run(
    `UPDATE sessions SET disconnected_at = max(connected_at, ended.at)
     FROM (SELECT value ->> 0 AS id, value ->> 1 AS at FROM json_each(?)) AS ended WHERE sessions.id = ended.id`,
    JSON.stringify(sessions.map((session) => [session.id, at(session)])),
  )
  // An anonymous participant is a member for as long as it is connected.
  const anonymous = sessions.flatMap(({ userId, memberId }) => (userId === null ? [memberId] : []))
  if (anonymous.length > 0)
    store.run('DELETE FROM members WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(anonymous))
  for (const [roomId, left] of moves) announce(store, newId, roomId, left)
}
