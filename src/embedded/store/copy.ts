import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Sqlite } from './sqlite.ts'

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
