import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { OutputError } from '../../errors.ts'
import { prepareDatabaseFile } from '../../files/create-file.ts'
import { describeFailure } from '../common/faults.ts'
import { getDatabasePath } from '../database-path.ts'
import { lockWorkspace } from '../running-server.ts'
import { dropContents, readFacts, type WorkspaceFacts } from '../store/contents.ts'
import { saveCopy, savedDirectory } from '../store/copy.ts'
import { runMigrations } from '../store/migrate.ts'
import { loadSqlite, openSqlite, type Sqlite, type StoreMachine } from '../store/sqlite.ts'
import { useDirectory } from '../workspace.ts'
import { requireWorkspace } from './back-up.ts'

export interface ReplaceOptions {
  dir: string
  machine: StoreMachine & { now(): number }
  /** Prefix of the file name for the old contents; undefined for a new workspace. */
  saveAs: string | undefined
  prepare?(db: Sqlite): void
  fill(db: Sqlite): void
}

/**
 * Runs work while no process can serve the workspace.
 * @throws {UsageError} if the workspace cannot be locked
 * @throws {OutputError} if storage fails, otherwise the error of `work`
 */
export async function withStoppedWorkspace<T>(
  dir: string,
  machine: ReplaceOptions['machine'],
  work: () => Promise<T>,
): Promise<T> {
  const lock = await useDirectory(dir, () => lockWorkspace(dir, machine, 'stop the service, then retry'))
  try {
    if (existsSync(getDatabasePath(dir))) prepareDatabaseFile(getDatabasePath(dir), machine.effectiveUid)
    return await work()
  } catch (error) {
    const reason = describeFailure(error)
    if (reason === undefined) throw error
    throw new OutputError(`the local workspace in ${dir} is unchanged: ${reason}`, {
      hint: /damaged/.test(reason)
        ? `move ${getDatabasePath(dir)}* to another directory, then retry`
        : undefined,
    })
  } finally {
    lock.release()
  }
}

/**
 * Saves and replaces the contents in one transaction, so that no concurrent write is lost.
 * @returns path of the saved contents; undefined without `saveAs`
 */
export async function replaceContents(options: ReplaceOptions): Promise<string | undefined> {
  const { dir, machine, saveAs, prepare, fill } = options
  const path = getDatabasePath(dir)
  const open = await loadSqlite(machine.quietly)
  const db = open(path)
  try {
    prepare?.(db)
    db.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF')
    db.exec('PRAGMA main.journal_mode = WAL; BEGIN IMMEDIATE')
    const saved =
      saveAs && saveCopy({ path, open: () => open(path) }, findFreeName(dir, saveAs, machine.now()))
    dropContents(db)
    fill(db)
    db.exec('COMMIT')
    return saved
  } catch (error) {
    // libsql keeps a closed connection open until its statements are garbage-collected.
    try {
      db.exec('ROLLBACK')
    } catch {
      // No transaction began, or SQLite has already rolled back.
    }
    throw error
  } finally {
    db.close()
  }
}

function findFreeName(dir: string, start: string, now: number): string {
  const stem = `${start}-${new Date(now).toISOString().slice(0, 19).replaceAll(':', '')}`
  for (let nth = 1; ; nth++) {
    const name = `${stem}${nth === 1 ? '' : `-${nth}`}.db`
    if (!existsSync(join(dir, savedDirectory, name))) return name
  }
}

/** Empties a workspace, which keeps its API key. Returns the path of the saved old contents. */
export async function reset(
  { dir, machine }: Pick<ReplaceOptions, 'dir' | 'machine'>,
  confirm: (facts: WorkspaceFacts) => Promise<void>,
): Promise<string> {
  requireWorkspace(dir)
  return withStoppedWorkspace(dir, machine, async () => {
    const sqlite = await openSqlite(getDatabasePath(dir), machine.quietly)
    const facts = readFacts(sqlite)
    sqlite.close()
    await confirm(facts)
    const saved = await replaceContents({
      dir,
      machine,
      saveAs: 'before-reset',
      fill: (db) => runMigrations(db, 0),
    })
    return saved ?? ''
  })
}
