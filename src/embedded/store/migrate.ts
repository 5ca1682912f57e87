import { existsSync } from 'node:fs'
import { suggest, UsageError } from '../../errors.ts'
import { migrations } from './schema.ts'
import { openSqlite, type QuietLoader, type Sqlite } from './sqlite.ts'

/** Maximum size of a database that migrates in about a second, in bytes. */
const quickBytes = 64 * 1024 * 1024

/** Returns true if a migration is needed and may take more than about a second. */
export function migratesSlowly(db: Sqlite): boolean {
  const size = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
  const { bytes } = db.prepare(size).get() as { bytes: number }
  return readVersion(db) < migrations.length && bytes > quickBytes
}

export function readVersion(db: Sqlite): number {
  return (db.prepare('PRAGMA main.user_version').get() as { user_version: number }).user_version
}

/**
 * @param saveOld copies an existing database before the migrations; receives its version
 * @throws {UsageError} if the schema is of a newer version of the program
 */
export function migrate(db: Sqlite, saveOld: (version: number) => void): void {
  requireKnown(readVersion(db))
  // A database copied by `VACUUM INTO` is not in WAL mode.
  db.exec('PRAGMA journal_mode = WAL')
  if (readVersion(db) === migrations.length) return
  db.exec('BEGIN IMMEDIATE')
  // Another process may have migrated while this process waited for the lock.
  const old = readVersion(db)
  requireKnown(old)
  if (old > 0 && old < migrations.length) saveOld(old)
  dropEmailIndex(db)
  runMigrations(db, old)
  db.exec('COMMIT')
}

function requireKnown(version: number): void {
  if (version > migrations.length)
    throw new UsageError('the local workspace was created by a newer version of meetroom', {
      hint: ['update meetroom, or restore a backup; see: ', suggest(['help', 'local'])],
    })
}

/** Drops the full-text index of earlier versions, even if SQLite lacks the FTS5 module. */
function dropEmailIndex(db: Sqlite): void {
  try {
    db.exec('DROP TABLE IF EXISTS user_emails')
  } catch (error) {
    if (!/no such module/.test((error as Error).message)) throw error
    db.exec(`PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'user_emails';
      PRAGMA writable_schema = RESET`)
    for (const part of ['config', 'content', 'data', 'docsize', 'idx'])
      db.exec(`DROP TABLE IF EXISTS user_emails_${part}`)
  }
}

/** Not atomic by itself. */
export function runMigrations(db: Sqlite, from: number, to = migrations.length): void {
  for (const [i, step] of migrations.entries())
    if (i >= from && i < to) {
      db.exec(step)
      db.exec(`PRAGMA user_version = ${i + 1}`)
    }
}

/** Returns true if the database exists in the current version. */
export async function isCurrent(path: string, quietly: QuietLoader): Promise<boolean> {
  if (!existsSync(path)) return false
  const sqlite = await openSqlite(path, quietly)
  try {
    return readVersion(sqlite) === migrations.length
  } finally {
    sqlite.close()
  }
}
