import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { openSqlite, type QuietLoader, type Sqlite } from './store/sqlite.ts'

/** Contents of `serve.json` in the data directory of a running `meetroom serve`. */
export interface ServingProcess {
  pid: number
  base_url: string
  api_key_file: string
}

export interface ServingProcessWithKey extends ServingProcess {
  apiKey: string
}

const serveFile = (dir: string) => join(dir, 'serve.json')

export interface WorkspaceLock {
  publish(servingProcess: ServingProcess): void
  /** Removes `serve.json` before the process stops. */
  unpublish(): void
  release(): void
}

/**
 * Locks a data directory. The operating system releases the lock even after a crash.
 * @param hint advice when the directory is served
 * @throws {UsageError} when another process holds the lock
 */
export async function lockWorkspace(
  dir: string,
  quietly: QuietLoader,
  hint = `use that one, or choose another directory with --data-dir (this one is ${dir})`,
): Promise<WorkspaceLock> {
  makeDirectory(dir)
  const lock = await openLock(dir, quietly)
  // `findServingProcess` in another process may hold the lock for a moment.
  if (!tryLock(lock, 'PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE')) {
    lock.close()
    const servingProcess = readServeFile(dir)
    throw new UsageError(
      servingProcess
        ? `this data directory is already served at ${servingProcess.base_url} by process ${servingProcess.pid}`
        : 'this data directory is already served',
      { hint },
    )
  }
  const unpublish = () => rmSync(serveFile(dir), { force: true })
  // A killed process may have left `serve.json` behind.
  unpublish()
  return {
    unpublish,
    publish: (servingProcess) =>
      writeFileSync(serveFile(dir), `${JSON.stringify(servingProcess)}\n`, { mode: 0o600 }),
    release() {
      unpublish()
      lock.close()
    },
  }
}

export async function findServingProcess(
  dir: string,
  quietly: QuietLoader,
): Promise<ServingProcessWithKey | undefined> {
  // Most directories are not served, so this check must be fast.
  if (!existsSync(serveFile(dir))) return undefined
  const lock = await openLock(dir, quietly)
  const isFree = tryLock(lock, 'PRAGMA busy_timeout = 0; BEGIN; SELECT * FROM sqlite_master')
  lock.close()
  const servingProcess = isFree ? undefined : readServeFile(dir)
  return (
    servingProcess && { ...servingProcess, apiKey: readFileSync(servingProcess.api_key_file, 'utf8').trim() }
  )
}

async function openLock(dir: string, quietly: QuietLoader): Promise<Sqlite> {
  return openSqlite(join(dir, 'owner.lock'), quietly)
}

function tryLock(lock: Sqlite, sql: string): boolean {
  try {
    lock.exec(sql)
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}

function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: string; errcode?: number }
  return code === 'SQLITE_BUSY' || errcode === 5
}

function readServeFile(dir: string): ServingProcess | undefined {
  try {
    return JSON.parse(readFileSync(serveFile(dir), 'utf8')) as ServingProcess
  } catch {
    return undefined
  }
}
