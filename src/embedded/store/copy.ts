import { dirname, join } from 'node:path'
import { Draft } from '../../files/draft.ts'
import { makeDirectory } from '../../files/make-directory.ts'
import type { Sqlite } from './sqlite.ts'

export interface DatabaseFile {
  path: string
  open(): Sqlite
}

/** Directory in a workspace for copies that the program makes by itself. */
export const savedDirectory = 'backups'

/**
 * Copies a database into the directory `backups` beside it, replacing a file of the same name. Another connection of this
 * process may be in a transaction, whose changes are not copied.
 * @returns path of the copy
 */
export function saveCopy({ path, open }: DatabaseFile, name: string): string {
  const directory = join(dirname(path), savedDirectory)
  makeDirectory(directory)
  const copy = join(directory, name)
  const source = open()
  try {
    copyDatabase(source, copy, { overwrite: true })
  } finally {
    source.close()
  }
  return copy
}

/**
 * Copies a database to a file with mode 0600. The copy is consistent even while other processes write, and `path`
 * appears only once the copy is on disk.
 * @throws a system error with EEXIST when the file exists and `overwrite` is false
 */
export function copyDatabase(
  source: Sqlite,
  path: string,
  options: { overwrite: boolean; follow?: boolean },
): void {
  const draft = new Draft(path, options)
  try {
    // SQLite fills an empty file and keeps its mode.
    source.prepare('VACUUM INTO ?').run(draft.path)
  } catch (error) {
    draft.discard()
    throw error
  }
  draft.publish()
}
