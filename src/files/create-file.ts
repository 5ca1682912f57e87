import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, rmSync, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createNotRegularError, requireOwnFile, requireRegular } from './file-kind.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_RDONLY, O_WRONLY } = constants
const newFile = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW

/** @throws a system error with EEXIST if the path exists, even as a symbolic link */
export function createFile(path: string): Promise<FileHandle> {
  return open(path, newFile | O_APPEND, 0o600)
}

/** Suffixes of files that SQLite opens automatically. With a named pipe, SQLite would wait forever. */
const sideFiles = ['-wal', '-shm', '-journal']

/**
 * Creates a missing database file with mode 0600. Does not open an existing file, because closing the file
 * would release locks of this process.
 * @param uid required owner, besides root; undefined to accept any owner
 * @throws {UsageError} or a system error if a file of the database cannot be used
 */
export function prepareDatabaseFile(path: string, uid?: number): void {
  const file = lstatSync(path, { throwIfNoEntry: false }) ?? createEmpty(path)
  requireDatabaseFile(path, file)
  requireOwnFile(path, file, uid)
  for (const suffix of sideFiles) {
    const found = lstatSync(path + suffix, { throwIfNoEntry: false })
    if (!found) continue
    requireDatabaseFile(path + suffix, found)
    // SQLite reads contents of the database from side files.
    requireOwnFile(path + suffix, found, file.uid)
  }
}

/** Deletes a database that is not open. */
export function deleteDatabase(path: string): void {
  for (const suffix of ['', ...sideFiles]) rmSync(path + suffix, { force: true })
}

function requireDatabaseFile(path: string, found: Stats): void {
  if (found.isDirectory()) throw createNotRegularError(path)
  requireRegular(path, found)
}

function createEmpty(path: string): Stats {
  try {
    closeSync(openSync(path, newFile, 0o600))
  } catch (error) {
    // Another process may have created the file meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  return lstatSync(path)
}

/** Prepares a lock database. Removes the access of other users, because other users could hold the lock. */
export function prepareLockDatabase(path: string, uid: number | undefined): void {
  prepareDatabaseFile(path, uid)
  if ((lstatSync(path).mode & 0o077) === 0) return
  const file = openSync(path, O_RDONLY | O_NOFOLLOW)
  try {
    requireOwnFile(path, fstatSync(file), uid)
    fchmodSync(file, 0o600)
  } finally {
    closeSync(file)
  }
}
