import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { quoteForShell } from '../api/quote-for-shell.ts'
import { OutputError, UsageError } from '../errors.ts'
import { prepareDatabaseFile } from '../files/create-file.ts'
import { replaceFile } from '../files/draft.ts'
import { toUseError } from '../files/file-errors.ts'
import { describeSharedDirectory } from '../files/file-kind.ts'
import { makeDirectory } from '../files/make-directory.ts'
import { describeFailure, isDamage } from './common/faults.ts'
import { getDatabasePath } from './database-path.ts'
import { isInDataDirectory, readKeyFile } from './key-file.ts'
import { lockWorkspace } from './running-server.ts'
import { createHandlerContext, createService } from './service/service.ts'
import { CascadeDeleter } from './store/cascade-deleter.ts'
import { migratesSlowly } from './store/migrate.ts'
import { listSavedCopies, suggestRestore } from './store/saved-copies.ts'
import { requireOwnSchema } from './store/schema-check.ts'
import { loadSqlite, type StoreMachine } from './store/sqlite.ts'
import { Store } from './store/store.ts'

interface WorkspaceOptions {
  /** Directory of the workspace; undefined for a workspace in memory. */
  dir: string | undefined
  /** Path of the API key file; defaults to `api-key` in the directory. */
  keyFile?: string | undefined
  /** API key to use instead of the key in the file. */
  apiKey?: string | undefined
  host: StoreMachine & { now(): number }
  notice?: ((text: string) => void) | undefined
  /** True if the caller holds the lock of the directory. */
  isLocked?: boolean | undefined
}

export type Workspace = Awaited<ReturnType<typeof openWorkspace>>

/**
 * @throws {OutputError} if storage fails
 * @throws {UsageError} if the workspace must not be used, or SQLite is missing
 */
export function openWorkspace(options: WorkspaceOptions) {
  const { dir, keyFile, host, notice } = options
  return useDirectory(dir, async () => {
    if (dir !== undefined) makeDirectory(dir)
    const file = keyFile ?? (dir === undefined ? undefined : join(dir, 'api-key'))
    const apiKey = options.apiKey ?? (await findKey(file, options))
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
      notice('upgrading the local workspace; the upgrade takes a while')
      // The upgrade blocks this thread, so the notice must be printed first.
      await new Promise((resolve) => setImmediate(resolve))
    }
    const databaseFile = dir === undefined ? undefined : { path: database, open: () => open(database) }
    const store = new Store(sqlite, databaseFile)
    const cascadeDeleter = new CascadeDeleter(store)
    // A previous process may have stopped during a deletion.
    cascadeDeleter.wake()
    return {
      store,
      cascadeDeleter,
      service: createService(createHandlerContext({ store, now: host.now, cascadeDeleter }), apiKey),
      apiKey,
      close: () => store.close(),
    }
  })
}

/** @throws {OutputError} for a system error or a storage failure, otherwise the error of `work` */
export async function useDirectory<T>(dir: string | undefined, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (dir !== undefined && isDamage(error)) throw createDamageError(dir)
    const reason = describeFailure(error)
    if (reason === undefined) throw error
    throw new OutputError(`the local workspace in ${dir} cannot be opened: ${reason}`, {
      hint: 'choose another data directory',
    })
  }
}

export function createDamageError(dir: string, fault?: string): OutputError {
  const where = fault === undefined ? '' : `: ${fault}`
  return new OutputError(`the database ${getDatabasePath(dir)} is damaged${where}`, {
    hint: suggestRestore(dir, listSavedCopies(dir)),
  })
}

async function findKey(file: string | undefined, options: WorkspaceOptions): Promise<string> {
  const { dir, host, notice, isLocked } = options
  if (file === undefined) return generateKey()
  const isOwn = isInDataDirectory(file, dir)
  try {
    createKeyFile(file)
    const key = requireKey(file, dir, host)
    if (key !== '') return key
    const lock = isLocked || dir === undefined ? undefined : await lockWorkspace(dir, host)
    try {
      // Another command may have written a key while this command waited for the lock.
      const found = requireKey(file, dir, host)
      if (found !== '') return found
      const key = generateKey()
      replaceFile(file, `${key}\n`, { follow: !isOwn })
      notice?.(
        `warning: the API key file ${file} was empty, possibly because the disk was full; a new key was written`,
      )
      return key
    } finally {
      lock?.release()
    }
  } catch (error) {
    if (isOwn) throw error
    throw toUseError(`the key file ${file}`, error, { hint: 'choose another file with --api-key-file' })
  }
}

const generateKey = () => `local_${randomBytes(24).toString('base64url')}`

/** Creates a missing key file atomically, so that concurrent commands use the same key. */
function createKeyFile(file: string): void {
  try {
    if (!existsSync(file)) replaceFile(file, `${generateKey()}\n`, { overwrite: false })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Returns the key, or empty text for an empty file. */
function requireKey(file: string, dir: string | undefined, { effectiveUid }: StoreMachine): string {
  const key = readKeyFile(file, dir, effectiveUid)
  if (key !== undefined) return key
  throw new UsageError(`${file} contains no API key`, {
    hint: `move the file away, so that the next command creates a key: mv ${quoteForShell(file)} ${quoteForShell(`${file}.old`)}`,
  })
}
