import { toStorageFault } from '../common/faults.ts'
import type { Database } from './database.ts'

/** Number of `seq` values per counted block; see steps/counts.ts. */
export const blockRows = 1024

interface Writer {
  run(sql: string, ...values: number[]): number
}

const columns = { users: 'block', rooms: 'layout, terminated, block' } as const
const kinds = { users: 'user', rooms: 'room' } as const

/** Counts the rows of full blocks. Call inside `store.write` with the first `seq` of a new block. */
export function countBlocks(store: Writer, table: 'users' | 'rooms', before: number): void {
  store.run(countStatement(table), before)
  store.run(`UPDATE workspace SET ${table}_counted = ?`, before)
}

function countStatement(table: 'users' | 'rooms'): string {
  const kind = kinds[table]
  return `INSERT INTO ${kind}_counts SELECT ${columns[table]}, count(*) FROM ${kind}_places
    WHERE seq >= (SELECT ${table}_counted FROM workspace) AND seq < ? GROUP BY ${columns[table]}
    ON CONFLICT DO UPDATE SET count = count + excluded.count`
}

/** Number of uncounted rows at which counts are rebuilt. Skipped `seq` values can delay a count by some blocks. */
const maxUncounted = 4 * blockRows

/**
 * Rebuilds the counts of rows that were written without counting, such as by a restore. Storage errors are ignored,
 * because counts only save time.
 */
export function rebuildMissingCounts(db: Database): void {
  try {
    if (!isMissingCounts(db, 'users') && !isMissingCounts(db, 'rooms')) return
    db.exec('BEGIN IMMEDIATE')
    // Another process may have counted while this one waited for the lock.
    for (const table of ['users', 'rooms'] as const) if (isMissingCounts(db, table)) rebuild(db, table)
    db.exec('COMMIT')
  } catch (error) {
    try {
      db.exec('ROLLBACK')
    } catch {
      // No transaction began, or SQLite has already rolled back, for example because the disk is full.
    }
    if (!toStorageFault(error)) throw error
  }
}

function isMissingCounts(db: Database, table: 'users' | 'rooms'): boolean {
  const found = db.one<{ uncounted: number; lost: number }>(
    `SELECT coalesce((SELECT max(seq) FROM ${table}), 0) - ${table}_counted AS uncounted,
       NOT EXISTS (SELECT 1 FROM ${kinds[table]}_counts)
         AND EXISTS (SELECT 1 FROM ${table} WHERE seq < ${table}_counted) AS lost
     FROM workspace`,
  )
  return found !== undefined && (found.uncounted >= maxUncounted || found.lost === 1)
}

function rebuild(db: Database, table: 'users' | 'rooms'): void {
  const last = db.one<{ seq: number }>(`SELECT max(seq) AS seq FROM ${table}`)?.seq ?? 0
  const before = last - (last % blockRows)
  db.exec(`DELETE FROM ${kinds[table]}_counts; UPDATE workspace SET ${table}_counted = 0`)
  db.run(countStatement(table), [before])
  db.run(`UPDATE workspace SET ${table}_counted = ?`, [before])
}
