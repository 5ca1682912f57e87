import { accessSync, constants } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../errors.ts'
import { prepareDatabaseFile } from '../../files/create-file.ts'
import { Connection, type Driver, type Sqlite } from './connection.ts'

const { R_OK, W_OK } = constants

export type { Sqlite, Statement, Value } from './connection.ts'

export type QuietLoader = <T>(load: () => Promise<T>) => Promise<T>

export interface StoreMachine {
  quietly: QuietLoader
  /** Effective user ID; undefined on systems without user IDs. */
  effectiveUid?: number | undefined
}

/** @throws an error of `prepareDatabaseFile`, of the file system or of SQLite */
export type OpenSqlite = (path: string, options?: { readOnly: true }) => Sqlite

/**
 * Loads Node's SQLite, or libsql if this Node has no SQLite.
 * @throws {UsageError} if both are missing
 */
export async function loadSqlite(quietly: QuietLoader): Promise<OpenSqlite> {
  const open = await loadDriver(quietly)
  return (path, options) => {
    if (path !== ':memory:') prepareDatabaseFile(path)
    try {
      return new Connection(open(path, options?.readOnly === true))
    } catch (error) {
      // SQLite reports no reason, and libsql no code. A system error has both.
      if (path !== ':memory:') accessSync(path, options ? R_OK : R_OK | W_OK)
      throw Object.assign(error as Error, { code: 'SQLITE_CANTOPEN' })
    }
  }
}

/**
 * Loads a driver. Reads without `SafeStatement` can abort the process.
 * @throws {UsageError} if no driver is available
 */
export async function loadDriver(quietly: QuietLoader): Promise<(path: string, readOnly: boolean) => Driver> {
  try {
    const { DatabaseSync } = await quietly(() => import('node:sqlite'))
    return (path, readOnly) => new DatabaseSync(path, { readOnly, defensive: readOnly })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_BUILTIN_MODULE') throw error
  }
  try {
    const { default: Database } = await import('libsql')
    // libsql ignores its option `readonly`.
    return (path, readOnly) =>
      new Database(readOnly ? `${pathToFileURL(path)}?mode=ro` : path) as unknown as Driver
  } catch (error) {
    if (!/MODULE_NOT_FOUND$/.test((error as NodeJS.ErrnoException).code ?? '')) throw error
    const needed = 'the embedded service needs Node 22.13 or newer, or the package libsql: npm install libsql'
    throw new UsageError(needed, { hint: 'for a global meetroom: npm install --global libsql' })
  }
}

export async function openSqlite(path: string, quietly: QuietLoader): Promise<Sqlite> {
  return (await loadSqlite(quietly))(path)
}

/**
 * Opens an untrusted database only for reading.
 * @throws an Error if the connection can write, or an error of `open` or SQLite
 */
export function openReadOnly(open: OpenSqlite, path: string): Sqlite {
  const db = open(path, { readOnly: true })
  db.exec('PRAGMA query_only = ON; PRAGMA trusted_schema = OFF; PRAGMA ignore_check_constraints = ON')
  try {
    db.exec('BEGIN IMMEDIATE')
  } catch (error) {
    if (/readonly/.test((error as Error).message)) return db
    db.close()
    throw error
  }
  db.close()
  throw new Error('SQLite opened a read-only file for writing')
}
