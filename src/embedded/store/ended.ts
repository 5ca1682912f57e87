import type { Store } from './store.ts'

/** What is recorded of a session that has ended. */
export interface EndedSession {
  /** Of the session. */
  seq: number
  /** The `seq` of an anonymous member, which is one for as long as it is connected; null for a user. */
  guestSeq: number | null
}

const listed = 'SELECT value FROM json_each(?)'

/**
 * Inside `store.write`: records that sessions have ended, and the anonymous have left.
 * @param at when, in milliseconds since 1970; a session that began later ended when it began
 */
export function recordEnds(store: Store, ended: readonly EndedSession[], at: number): void {
  const { sessions, guests } = seqsOf(ended)
  store.run(
    `UPDATE sessions SET disconnected_at = max(connected_at, ?) WHERE seq IN (${listed})`,
    at,
    JSON.stringify(sessions),
  )
  if (guests.length > 0) store.run(`DELETE FROM members WHERE seq IN (${listed})`, JSON.stringify(guests))
}

/** Like `recordEnds`, for thousands: lists them, which takes a small part of the time. `settleEnds` does the rest. */
export function listEnds(store: Store, ended: readonly EndedSession[], at: number): void {
  const { sessions, guests } = seqsOf(ended)
  store.run(`INSERT INTO ended_sessions SELECT value, ? FROM json_each(?)`, at, JSON.stringify(sessions))
  store.run(`INSERT INTO ended_members ${listed}`, JSON.stringify(guests))
}

/** Whether some ends are listed and not recorded. */
export function hasListedEnds(store: Store): boolean {
  return store.one('SELECT 1 FROM ended_sessions UNION ALL SELECT 1 FROM ended_members LIMIT 1') !== undefined
}

/** Inside `store.write`: records some of the ends that are listed. */
export function settleEnds(store: Store, most: number): void {
  const sessions = `SELECT seq, at FROM ended_sessions ORDER BY seq LIMIT ?`
  store.run(
    `UPDATE sessions SET disconnected_at = max(connected_at, ended.at)
     FROM (${sessions}) AS ended WHERE sessions.seq = ended.seq`,
    most,
  )
  store.run(`DELETE FROM ended_sessions WHERE seq IN (SELECT seq FROM (${sessions}))`, most)
  const guests = 'SELECT seq FROM ended_members ORDER BY seq LIMIT ?'
  store.run(`DELETE FROM members WHERE seq IN (${guests})`, most)
  store.run(`DELETE FROM ended_members WHERE seq IN (${guests})`, most)
}

function seqsOf(ended: readonly EndedSession[]) {
  const sessions: number[] = []
  const guests: number[] = []
  for (const { seq, guestSeq } of ended) {
    sessions.push(seq)
    if (guestSeq !== null) guests.push(guestSeq)
  }
  return { sessions, guests }
}
