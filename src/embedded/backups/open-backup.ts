import { closeSync, openSync, readSync } from 'node:fs'
import { describeSystemError, UsageError } from '../../errors.ts'
import { toStorageFault } from '../common/faults.ts'
import { migrations } from '../store/schema.ts'
import { openSqlite, type QuietLoader, type Sqlite } from '../store/sqlite.ts'
import { readFacts, readSchemaVersion, type WorkspaceFacts } from './facts.ts'

/**
 * Checks a backup and describes its contents.
 * @throws {UsageError} when the file cannot be read, is no backup, is damaged, or is of a newer version
 */
export async function checkBackup(path: string, quietly: QuietLoader): Promise<WorkspaceFacts> {
  requireDatabase(path)
  const backup = await openSqlite(path, quietly)
  try {
    return readChecked(backup, path)
  } catch (error) {
    if (!toStorageFault(error)) throw error
    throw createDamagedError(path)
  } finally {
    backup.close()
  }
}

function readChecked(backup: Sqlite, path: string): WorkspaceFacts {
  const [check] = backup.prepare('PRAGMA quick_check(1)').all() as { quick_check: string }[]
  if (check?.quick_check !== 'ok') throw createDamagedError(path)
  const version = readSchemaVersion(backup)
  if (version > migrations.length)
    throw new UsageError(`${path} was written by a newer version of meetroom`, { hint: 'update meetroom' })
  if (version === 0 || !isWorkspace(backup)) throw createNoBackupError(path)
  return readFacts(backup)
}

/** Tables that every version of a workspace has. */
const tables = ['members', 'pages', 'rooms', 'sessions', 'users', 'workspace']

function isWorkspace(sqlite: Sqlite): boolean {
  const found = sqlite.prepare(`SELECT name FROM sqlite_master WHERE type = 'table'`).all()
  const names = new Set(found.map((row) => (row as { name: string }).name))
  return tables.every((table) => names.has(table))
}

const magic = 'SQLite format 3\0'

/** Checks the first bytes of a file. SQLite would create a missing file, and takes an empty file for a database. */
function requireDatabase(path: string): void {
  const start = Buffer.alloc(magic.length)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, start, 0, start.length, 0)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${describeSystemError(error)}`)
  }
  if (start.toString('latin1') !== magic) throw createNoBackupError(path)
}

const createNoBackupError = (path: string) =>
  new UsageError(`${path} is not a backup of a workspace`, {
    hint: 'name a file that “meetroom local backup” has written',
  })

const createDamagedError = (path: string) => new UsageError(`the backup ${path} is damaged`)
