import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describeSystemError, OutputError, UsageError } from '../errors.ts'
import { prepareDatabaseFile } from '../files/create-file.ts'
import { replaceFile } from '../files/draft.ts'
import { describeSharedDirectory } from '../files/file-kind.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { readText } from '../files/read-file.ts'
import { describeFailure } from './common/faults.ts'
import { createTurnScheduler, type TurnScheduler } from './common/turn-scheduler.ts'
import { getDatabasePath } from './database-path.ts'
import { createService, type Service } from './service/service.ts'
import { CascadeDeleter } from './store/cascade-deleter.ts'
import { migratesSlowly } from './store/migrate.ts'
import { requireOwnSchema } from './store/schema-check.ts'
import { loadSqlite, type StoreMachine } from './store/sqlite.ts'
import { Store } from './store/store.ts'

interface WorkspaceOptions {
  /** Directory of the workspace; undefined for a workspace in memory. */
  dir: string | undefined
  /** Path of the API key file; defaults to `api-key` in the directory. */
  keyFile?: string | undefined
  /** API key that replaces the one of the file. */
  apiKey?: string | undefined
  host: StoreMachine & { now(): number }
  notice?: ((text: string) => void) | undefined
}

export interface Workspace {
  store: Store
  scheduler: TurnScheduler
  cascadeDeleter: CascadeDeleter
  service: Service
  apiKey: string
  close(): void
}

/** @throws {OutputError} when the directory cannot be used */
export function openWorkspace({
  dir,
  keyFile,
  host,
  notice,
  ...given
}: WorkspaceOptions): Promise<Workspace> {
  return useDirectory(dir, async () => {
    if (dir !== undefined) makeDirectory(dir)
    const file = keyFile ?? (dir === undefined ? undefined : join(dir, 'api-key'))
    const apiKey = given.apiKey ?? findKey(file, dir)
    const database = dir === undefined ? ':memory:' : getDatabasePath(dir)
    if (dir !== undefined) {
      prepareDatabaseFile(database, host.effectiveUid)
      const warning = describeSharedDirectory(dir, host.effectiveUid)
      if (warning) notice?.(warning)
    }
    const open = await loadSqlite(host.quietly)
    const sqlite = open(database)
    if (dir !== undefined) requireOwnSchema(sqlite, open, dir)
    if (notice && migratesSlowly(sqlite)) {
      notice('the local workspace is being upgraded, which takes a while')
      // The upgrade blocks this thread, so the notice must be printed first.
      await new Promise((resolve) => setImmediate(resolve))
    }
    const store = new Store(
      sqlite,
      dir === undefined ? undefined : { path: database, open: () => open(database) },
    )
    const scheduler = createTurnScheduler()
    const cascadeDeleter = new CascadeDeleter(store, scheduler)
    // A previous process may have stopped during a deletion.
    cascadeDeleter.wake()
    return {
      store,
      scheduler,
      cascadeDeleter,
      service: createService({ store, apiKey, now: host.now, scheduler, cascadeDeleter }),
      apiKey,
      close: () => store.close(),
    }
  })
}

/** Deletes the database of a closed workspace. */
export function deleteDatabase(dir: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(getDatabasePath(dir) + suffix, { force: true })
}

/** @throws {OutputError} when files or SQLite fail */
export async function useDirectory<T>(dir: string | undefined, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const reason = describeFailure(error)
    if (reason === undefined) throw error
    throw new OutputError(`the workspace in ${dir} cannot be opened: ${reason}`, {
      hint: 'choose another directory with MEETROOM_DATA_DIR',
    })
  }
}

function findKey(file: string | undefined, dir: string | undefined): string {
  if (file === undefined) return generateKey()
  return dirname(file) === dir ? readKey(file) : readExternalKey(file)
}

function generateKey(): string {
  return `local_${randomBytes(24).toString('base64url')}`
}

/** @throws {OutputError} when the key file, which is outside the workspace, cannot be created */
function readExternalKey(file: string): string {
  try {
    return readKey(file, true)
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new OutputError(
      `the key file ${file} cannot be used: ${describeSystemError(error, 'no such directory')}`,
      {
        hint: 'choose another file with --api-key-file',
      },
    )
  }
}

/**
 * Reads the API key of the workspace, or creates it. Concurrent commands all use the first key created.
 * @param follow true for a file that the user named
 */
function readKey(file: string, follow = false): string {
  try {
    if (!existsSync(file)) replaceFile(file, `${generateKey()}\n`, { overwrite: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return readText(file, { follow }).trim()
}
