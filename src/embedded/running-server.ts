import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../errors.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { openSqlite, type Quietly, type Sqlite } from './store/sqlite.ts'

/** A running `meetroom serve`, as it describes itself in its data directory. */
export interface ServingProcess {
  pid: number
  base_url: string
  api_key_file: string
}

export interface ServingProcessWithKey extends ServingProcess {
  apiKey: string
}

const address = (dir: string) => join(dir, 'serve.json')

export interface WorkspaceLock {
  /** Says who serves the data directory, and where. */
  publish(owner: ServingProcess): void
  /** Takes that back: the process is about to stop. */
  withdraw(): void
  /** Gives the data directory up. */
  release(): void
}

/**
 * Claims a data directory for as long as the process lives. The claim is a file lock: the system releases it when the
 * process ends, however it ends.
 * @throws {UsageError} when another process has it
 */
export async function lockWorkspace(dir: string, quietly: Quietly): Promise<WorkspaceLock> {
  makeDirectory(dir)
  const lock = await openLock(dir, quietly)
  // `findOwner` holds the lock for a moment while it looks.
  if (!tryLock(lock, 'PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE')) {
    lock.close()
    const owner = readOwner(dir)
    throw new UsageError(
      owner
        ? `this data directory is already served at ${owner.base_url} by process ${owner.pid}`
        : 'this data directory is already served',
      { hint: `use that one, or choose another folder with --data-dir (this one is ${dir})` },
    )
  }
  const withdraw = () => rmSync(address(dir), { force: true })
  // A process that was killed has left it.
  withdraw()
  return {
    withdraw,
    publish: (owner) => writeFileSync(address(dir), `${JSON.stringify(owner)}\n`, { mode: 0o600 }),
    release() {
      withdraw()
      lock.close()
    },
  }
}

/** The process that serves a data directory now, or undefined. */
export async function findServingProcess(
  dir: string,
  quietly: Quietly,
): Promise<ServingProcessWithKey | undefined> {
  // Usually nothing is served, and this is all it costs.
  if (!existsSync(address(dir))) return undefined
  const lock = await openLock(dir, quietly)
  const free = tryLock(lock, 'PRAGMA busy_timeout = 0; BEGIN; SELECT * FROM sqlite_master')
  lock.close()
  const owner = free ? undefined : readOwner(dir)
  return owner && { ...owner, apiKey: readFileSync(owner.api_key_file, 'utf8').trim() }
}

async function openLock(dir: string, quietly: Quietly): Promise<Sqlite> {
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

function readOwner(dir: string): ServingProcess | undefined {
  try {
    return JSON.parse(readFileSync(address(dir), 'utf8')) as ServingProcess
  } catch {
    return undefined
  }
}
