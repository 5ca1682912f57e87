import { existsSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { isUrl } from '../api/is-url.ts'
import { UsageError } from '../errors.ts'
import { prepareDatabaseFile, prepareLockDatabase } from '../files/create-file.ts'
import { replaceFile } from '../files/draft.ts'
import { toReadError } from '../files/file-errors.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { readText } from '../files/read-file.ts'
import { readInDataDirectory } from '../files/trusted-file.ts'
import { getDatabasePath } from './database-path.ts'
import { readKeyFile } from './key-file.ts'
import { openSqlite, type Sqlite, type StoreMachine } from './store/sqlite.ts'

/** Contents of `serve.json` in the directory that a service locks. */
export interface ServingProcess {
  pid: number
  base_url: string
  api_key_file: string
}

export interface ServingProcessWithKey extends ServingProcess {
  apiKey: string
}

const serveFile = (dir: string) => join(dir, 'serve.json')
const lockFile = (dir: string) => join(dir, 'owner.lock')

/**
 * Locks a data directory. The operating system releases the lock even after a crash.
 * @throws {UsageError} for example if another process holds the lock
 * @throws a system error or an error of SQLite
 */
export async function lockWorkspace(
  dir: string,
  machine: StoreMachine,
  hint = 'use that service, or pass another directory with --data-dir',
) {
  makeDirectory(dir)
  const database = getDatabasePath(dir)
  if (existsSync(database)) prepareDatabaseFile(database, machine.effectiveUid)
  const lock = await openLock(dir, machine)
  // `readOwner` in another process may hold the lock for a moment.
  if (!tryLock(lock, 'PRAGMA busy_timeout = 1000; BEGIN EXCLUSIVE')) {
    lock.close()
    const servingProcess = readServeFile(dir, machine.effectiveUid)
    throw new UsageError(
      servingProcess
        ? `the data directory ${dir} is already served at ${servingProcess.base_url} by process ${servingProcess.pid}`
        : `the data directory ${dir} is already served`,
      { hint },
    )
  }
  /** Removes `serve.json`, but keeps the lock. */
  const unpublish = () => removeFile(serveFile(dir))
  // A killed process does not remove `serve.json`.
  unpublish()
  return {
    unpublish,
    publish: (servingProcess: ServingProcess) =>
      replaceFile(serveFile(dir), `${JSON.stringify(servingProcess)}\n`, { isPrivate: true }),
    release() {
      unpublish()
      lock.close()
    },
  }
}

/**
 * Returns true if the workspace is served at the origin of `baseUrl`. Call after connecting to that origin.
 */
export async function isServedAt(
  dir: string,
  baseUrl: string,
  machine: StoreMachine & { isAlive(pid: number): boolean },
): Promise<boolean> {
  try {
    const found = await readOwner(dir, machine)
    // The file of a killed owner remains until a new owner removes it.
    if (!found || !machine.isAlive(found.pid)) return false
    return new URL(found.base_url).origin === new URL(baseUrl).origin
  } catch {
    return false
  }
}

export async function findServingProcess(
  dir: string,
  machine: StoreMachine,
): Promise<ServingProcessWithKey | undefined> {
  const found = await readOwner(dir, machine)
  return found && { ...found, apiKey: readServedKey(found, dir, machine.effectiveUid) }
}

async function readOwner(dir: string, machine: StoreMachine): Promise<ServingProcess | undefined> {
  // Most directories are not served, so this check must be fast.
  if (!existsSync(serveFile(dir))) return undefined
  const found = readServeFile(dir, machine.effectiveUid)
  if (found && holdsLock(found.pid, lockFile(dir))) return found
  const lock = await openLock(dir, machine)
  const isFree = tryLock(lock, 'PRAGMA busy_timeout = 0; BEGIN; SELECT * FROM sqlite_master')
  lock.close()
  return isFree ? undefined : readServeFile(dir, machine.effectiveUid)
}

function readServedKey({ api_key_file: file, pid }: ServingProcess, dir: string, uid: number | undefined) {
  const name = `the API key file ${file}`
  const hint = `restart process ${pid}, which serves the workspace`
  try {
    const key = readKeyFile(file, dir, uid)
    if (key) return key
  } catch (error) {
    throw toReadError(name, error, { hint })
  }
  throw new UsageError(`${name} contains no API key`, { hint })
}

/** Unlike `rmSync`, throws a system error for a directory. */
function removeFile(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/**
 * Returns true if Linux reports that the process holds the lock; false proves nothing. Using SQLite instead
 * would take a quarter of a command's time on Node 20.
 */
function holdsLock(pid: number, path: string): boolean {
  try {
    const { dev, ino } = statSync(path)
    const device = [(dev >>> 8) & 0xfff, (dev & 0xff) | ((dev >>> 12) & 0xfff00)]
    const file = [...device.map((part) => part.toString(16).padStart(2, '0')), ino].join(':')
    return readText('/proc/locks').includes(` WRITE ${pid} ${file} `)
  } catch {
    return false
  }
}

async function openLock(dir: string, machine: StoreMachine): Promise<Sqlite> {
  const path = lockFile(dir)
  prepareLockDatabase(path, machine.effectiveUid)
  return openSqlite(path, machine.quietly)
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

/**
 * Reads `serve.json`; undefined if the file is missing, unreadable or not valid.
 * @throws {UsageError} if the file is not safe to read, because the named service receives the API key
 */
function readServeFile(dir: string, uid: number | undefined): ServingProcess | undefined {
  const path = serveFile(dir)
  try {
    const value: unknown = JSON.parse(readInDataDirectory(path, uid))
    return isServingProcess(value) ? value : undefined
  } catch (error) {
    if (error instanceof UsageError) throw error
    return undefined
  }
}

function isServingProcess(value: unknown): value is ServingProcess {
  if (typeof value !== 'object' || value === null) return false
  const { pid, base_url, api_key_file } = value as Record<string, unknown>
  return (
    Number.isInteger(pid) &&
    typeof base_url === 'string' &&
    /^http:\/\/[^/]+\/v1$/.test(base_url) &&
    isUrl(base_url) &&
    typeof api_key_file === 'string'
  )
}
