import { closeSync, readSync, realpathSync } from 'node:fs'
import { suggest, UsageError } from '../../errors.ts'
import { toReadError } from '../../files/file-errors.ts'
import { openRegular } from '../../files/read-file.ts'
import { toStorageFault } from '../common/faults.ts'
import { readFacts } from '../store/contents.ts'
import { readVersion } from '../store/migrate.ts'
import { migrations } from '../store/schema.ts'
import { createEmpty } from '../store/schema-check.ts'
import { loadSqlite, type OpenSqlite, openReadOnly, type QuietLoader, type Sqlite } from '../store/sqlite.ts'
import { findPageFault } from './check-database.ts'

export type Backup = Awaited<ReturnType<typeof openBackup>>

/**
 * Opens and checks a backup. Never runs triggers or views of the file.
 * @throws {UsageError} if the file is not a usable backup
 */
export async function openBackup(path: string, quietly: QuietLoader) {
  requireDatabase(path)
  const open = await loadSqlite(quietly)
  let db: Sqlite | undefined
  try {
    // Opening a database refuses a path that is a symbolic link.
    db = openReadOnly(open, realpathSync(path))
    const version = readVersion(db)
    if (version > migrations.length)
      throw new UsageError(`${path} was written by a newer version of meetroom`, { hint: 'update meetroom' })
    const { application_id } = db.prepare('PRAGMA application_id').get() as { application_id: number }
    if (application_id !== 0) throw createNoBackupError(path, 'it is a database of another program')
    if (version < 1) throw createNoBackupError(path, `its schema version is ${version}`)
    requireTables(db, open, version, path)
    if (findPageFault(db) !== undefined) throw createDamagedError(path)
    return { db, version, facts: readFacts(db) }
  } catch (error) {
    db?.close()
    throw toBackupError(error, path)
  }
}

export function toBackupError(error: unknown, path: string): unknown {
  return toStorageFault(error) ? createDamagedError(path) : error
}

function requireTables(db: Sqlite, open: OpenSqlite, version: number, path: string): void {
  const own = createEmpty(open, version)
  const expected = readTables(own)
  const found = readTables(db)
  own.close()
  for (const name of found.keys())
    if (!expected.has(name)) throw createNoBackupError(path, `it has the unknown table ${name}`)
  for (const [name, columns] of expected) {
    if (!found.has(name)) throw createNoBackupError(path, `it has no table ${name}`)
    if (found.get(name) !== columns)
      throw createNoBackupError(path, `its table ${name} has unexpected columns`)
  }
}

/** Describes the columns of each table. Omits virtual tables, statistics, and tables of the email index. */
function readTables(db: Sqlite): Map<string, string> {
  const names = db
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
    .all() as { name: string }[]
  // `hidden` is 0 for ordinary columns. Expressions in the file compute the values of generated columns.
  const columns = db.prepare(
    `SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk || ' ' || hidden AS description
     FROM pragma_table_xinfo(?) ORDER BY description`,
  )
  const own = names.filter(({ name }) => !/^(sqlite_stat\d|user_emails_\w+)$/.test(name))
  return new Map(own.map(({ name }) => [name, JSON.stringify(columns.all(name))]))
}

const magic = 'SQLite format 3\0'

/** @throws {UsageError} if the file is unreadable or has no database header; SQLite accepts an empty file */
function requireDatabase(path: string): void {
  const start = Buffer.alloc(magic.length)
  try {
    const file = openRegular(path, { follow: true })
    try {
      readSync(file, start, 0, start.length, 0)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw toReadError(path, error)
  }
  if (start.toString('latin1') !== magic) throw createNoBackupError(path)
}

const createNoBackupError = (path: string, reason?: string) =>
  new UsageError(`${path} is not a backup of a workspace${reason === undefined ? '' : `: ${reason}`}`, {
    hint: ['pass a backup; write one with: ', suggest(['local', 'backup', 'workspace.db'])],
  })

export const createDamagedError = (path: string, where?: string) =>
  new UsageError(`the backup ${path} is damaged${where === undefined ? '' : `: ${where}`}`)
