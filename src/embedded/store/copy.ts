import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copyInto, createPrivateFile, Draft } from '../../files/draft.ts'
import { makeDirectory, requireOwnDirectory } from '../../files/make-directory.ts'
import type { Sqlite } from './sqlite.ts'

export interface DatabaseFile {
  path: string
  open(): Sqlite
}

export const savedDirectory = 'backups'

/** Copies a database into the sibling directory `backups`, replacing a file of the same name. */
export function saveCopy({ path, open }: DatabaseFile, name: string): string {
  const directory = join(dirname(path), savedDirectory)
  makeDirectory(directory)
  requireOwnDirectory(directory)
  const copy = join(directory, name)
  const source = open()
  try {
    copyDatabase(source, copy, { directory: dirname(path), overwrite: true })
  } finally {
    source.close()
  }
  return copy
}

/**
 * Copies a database to a file, consistently while other processes write.
 * @param directory private directory for an intermediate copy, because other users could replace a file
 * elsewhere
 * @returns size of the copy, in bytes
 */
export function copyDatabase(
  source: Sqlite,
  path: string,
  { directory, ...options }: { directory: string; overwrite: boolean; follow?: boolean },
): number {
  const draft = new Draft(path, options)
  let intermediate: string | undefined
  try {
    intermediate = createPrivateFile(directory)
    // SQLite fills an empty file and keeps its mode.
    source.prepare('VACUUM INTO ?').run(intermediate)
    const bytes = copyInto(draft.fd, intermediate)
    draft.publish()
    return bytes
  } catch (error) {
    draft.discard()
    throw error
  } finally {
    if (intermediate !== undefined) rmSync(intermediate, { force: true })
  }
}
