import { UsageError } from '../../errors.ts'
import type { Database } from './database.ts'
import { migrations } from './schema.ts'
import type { Sqlite } from './sqlite.ts'

/** Maximum size of a database that migrates in about a second, in bytes. */
const quickBytes = 64 * 1024 * 1024

/** Returns true when a migration will be slow, mostly because it builds indexes. */
export function migratesSlowly(sqlite: Sqlite): boolean {
  const read = (name: string) => {
    const row = sqlite.prepare(`PRAGMA ${name}`).get() as Record<string, number> | undefined
    return row?.[name] ?? 0
  }
  return read('user_version') < migrations.length && read('page_count') * read('page_size') > quickBytes
}

/** @throws {UsageError} when a newer version of the program created the workspace */
export function migrate(db: Database): void {
  const version = () => db.one<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version() === migrations.length) return
  if (version() > migrations.length)
    throw new UsageError('this workspace was created by a newer version of meetroom', {
      hint: 'update meetroom',
    })
  db.exec('PRAGMA journal_mode = WAL')
  db.exec('BEGIN IMMEDIATE')
  // Another process may have migrated while this one waited for the lock.
  for (const [i, step] of migrations.entries())
    if (i >= version()) {
      db.exec(step)
      db.exec(`PRAGMA user_version = ${i + 1}`)
    }
  db.exec('COMMIT')
}
