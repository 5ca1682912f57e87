import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
    copyDatabase(source, copy, true)
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
export function copyDatabase(source: Sqlite, path: string, overwrite = false): void {
  const draft = `${path}.${randomBytes(4).toString('hex')}.part`
  try {
    // SQLite fills an empty file and keeps its mode.
    closeSync(openSync(draft, 'wx', 0o600))
    source.prepare('VACUUM INTO ?').run(draft)
    sync(draft)
    if (overwrite) renameSync(draft, path)
    else nameNewFile(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
  syncDirectory(dirname(path))
}

function nameNewFile(draft: string, path: string): void {
  try {
    linkSync(draft, path)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    // Some file systems have no hard links.
    if (existsSync(path) || !['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(code)) throw error
    renameSync(draft, path)
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function syncDirectory(path: string): void {
  try {
    const directory = openSync(path, 'r')
    fsyncSync(directory)
    closeSync(directory)
  } catch {
    // Some operating systems cannot open or sync directories.
  }
}
