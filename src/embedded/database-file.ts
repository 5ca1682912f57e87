import { closeSync, constants, fstatSync, openSync, statSync } from 'node:fs'
import { UsageError } from '../errors.ts'

const { O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDWR } = constants

/**
 * Creates the database file of a workspace with mode 0600, or checks the existing one.
 * @param uid user ID; undefined on systems without user IDs
 * @throws {UsageError} when the file is not a regular one of this user
 */
export function requireOwnFile(path: string, uid: number | undefined): void {
  const file = openOwn(path)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw new UsageError(`${path} is not a regular file`)
    if (isForeign(found.uid, uid))
      throw new UsageError(`${path} belongs to another user (${found.uid})`, {
        hint: 'restore a backup as yourself, make yourself its owner, or choose another directory with MEETROOM_DATA_DIR',
      })
  } finally {
    closeSync(file)
  }
}

function openOwn(path: string): number {
  try {
    // The database holds access tokens. SQLite copies the mode of this file to its other files.
    return openSync(path, O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_RDWR, 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ELOOP') throw error
    throw new UsageError(`${path} is a symbolic link`, {
      hint: 'name the directory of the database itself with MEETROOM_DATA_DIR',
    })
  }
}

/** Warns of a data directory in which other users can replace files; undefined for a private one. */
export function describeSharedDirectory(dir: string, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  const found = statSync(dir)
  if (isForeign(found.uid, uid))
    return `warning: the data directory ${dir} belongs to another user (${found.uid})`
  return (found.mode & 0o022) === 0
    ? undefined
    : `warning: other users can write to the data directory ${dir}`
}

/** Root can change every file anyway. */
const isForeign = (owner: number, uid: number | undefined) =>
  uid !== undefined && owner !== uid && owner !== 0
