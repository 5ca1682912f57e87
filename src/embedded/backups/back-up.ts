import { existsSync, realpathSync } from 'node:fs'
import { OutputError, UsageError } from '../../errors.ts'
import { prepareDatabaseFile } from '../../files/create-file.ts'
import { createExistsError, refuseDirectory } from '../../files/file-kind.ts'
import { describeFailure } from '../common/faults.ts'
import { getDatabasePath } from '../database-path.ts'
import { readFacts } from '../store/contents.ts'
import { copyDatabase } from '../store/copy.ts'
import { openSqlite, type StoreMachine } from '../store/sqlite.ts'
import { createDamageError, useDirectory } from '../workspace.ts'
import { findRowFault } from './check-database.ts'

interface BackUpOptions {
  dir: string
  path: string
  overwrite: boolean
  machine: StoreMachine
}

/**
 * Copies the database of a workspace, even while the workspace is served.
 * @throws {UsageError} if there is no workspace, or the file must not be overwritten
 * @throws {OutputError} if the workspace cannot be opened or is damaged, or the file cannot be written
 */
export async function backUp({ dir, path, overwrite, machine }: BackUpOptions) {
  requireWorkspace(dir)
  const database = getDatabasePath(dir)
  if (existsSync(path) && realpathSync(path) === realpathSync(database))
    throw new UsageError(`${path} is the database of the local workspace`, { hint: 'pass another file' })
  const source = await useDirectory(dir, () => {
    prepareDatabaseFile(database, machine.effectiveUid)
    return openSqlite(database, machine.quietly)
  })
  try {
    source.exec('PRAGMA busy_timeout = 5000')
    refuseDirectory(path)
    const fault = findRowFault(source)
    // An invalid backup must not replace a valid backup.
    if (fault !== undefined) throw createDamageError(dir, fault)
    const facts = readFacts(source)
    const bytes = copyDatabase(source, path, { overwrite, directory: dir, follow: true })
    return { path, bytes, ...facts }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw createExistsError(path, '', 'pass a new file, or --overwrite')
    const reason = describeFailure(error)
    if (reason === undefined) throw error
    throw new OutputError(`the backup ${path} cannot be written: ${reason}`)
  } finally {
    source.close()
  }
}

export function requireWorkspace(dir: string): void {
  if (existsSync(getDatabasePath(dir))) return
  throw new UsageError(`there is no local workspace in ${dir}`, {
    hint: 'name the directory of a workspace with --data-dir or MEETROOM_DATA_DIR',
  })
}
