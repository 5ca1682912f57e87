import type { EndReason } from '../../api/vocabulary.ts'
import type { Store } from './store.ts'

export interface EndedSession {
  seq: number
  /** The `seq` of an anonymous member, removed when the session ends; null for a user. */
  guestSeq: number | null
}

const listed = 'SELECT value FROM json_each(?)'

/**
 * Call inside `store.write`.
 * @param at end of the sessions in milliseconds since 1970; a later start is used instead
 */
export function recordEnds(store: Store, ended: readonly EndedSession[], at: number, reason: EndReason) {
  const { sessions, guests } = splitSeqs(ended)
  const sql = `UPDATE sessions SET disconnected_at = max(connected_at, ?), end_reason = ? WHERE seq IN (${listed})`
  store.run(sql, at, reason, JSON.stringify(sessions))
  if (guests.length > 0) store.run(`DELETE FROM members WHERE seq IN (${listed})`, JSON.stringify(guests))
}

/**
 * Lists session ends for `recordListedEnds`, because recording many ends is much slower. Call inside
 * `store.write`.
 */
export function listEnds(store: Store, ended: readonly EndedSession[], at: number, reason: EndReason): void {
  const { sessions, guests } = splitSeqs(ended)
  const sql = 'INSERT INTO ended_sessions (seq, at, reason) SELECT value, ?, ? FROM json_each(?)'
  store.run(sql, at, reason, JSON.stringify(sessions))
  store.run(`INSERT INTO ended_members ${listed}`, JSON.stringify(guests))
}

export function hasListedEnds(store: Store): boolean {
  return store.one('SELECT 1 FROM ended_sessions UNION ALL SELECT 1 FROM ended_members LIMIT 1') !== undefined
}

/**
 * Records at most `most` deferred session ends, and removes at most `most` anonymous members. Call inside
 * `store.write`.
 */
export function recordListedEnds(store: Store, most: number): void {
  const sessions = `SELECT seq, at, reason FROM ended_sessions ORDER BY seq LIMIT ?`
  store.run(
    `UPDATE sessions SET disconnected_at = max(connected_at, ended.at), end_reason = ended.reason
     FROM (${sessions}) AS ended WHERE sessions.seq = ended.seq`,
    most,
  )
  store.run(`DELETE FROM ended_sessions WHERE seq IN (SELECT seq FROM (${sessions}))`, most)
  const guests = 'SELECT seq FROM ended_members ORDER BY seq LIMIT ?'
  store.run(`DELETE FROM members WHERE seq IN (${guests})`, most)
  store.run(`DELETE FROM ended_members WHERE seq IN (${guests})`, most)
}

function splitSeqs(ended: readonly EndedSession[]) {
  const sessions = ended.map(({ seq }) => seq)
  const guests = ended.flatMap(({ guestSeq }) => guestSeq ?? [])
  return { sessions, guests }
}
