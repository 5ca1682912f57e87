import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * The text of a file that decides what the program does: a regular file, of this user or of root. Links to it are
 * followed: Kubernetes mounts are such, and what dotfile managers keep.
 * @param uid number of this user; undefined where users have none
 * @param name what messages call the file
 * @throws {UsageError} when it is something else
 */
export function readTrusted(path: string, uid: number | undefined, name: string): string {
  // A named pipe that nobody writes to would be waited for.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw notRegular(name)
    if (uid !== undefined && found.uid !== uid && found.uid !== 0)
      throw new UsageError(`${name} belongs to another user (${found.uid})`, {
        hint: 'whoever can write to it decides where your key goes: own it, or let root own it',
      })
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/**
 * Refuses a file that others can write to or replace: for what it says is run.
 * @param uid number of this user; undefined where users have none, and modes say nothing
 * @throws {UsageError}
 */
export function requireUnwritable(path: string, uid: number | undefined, name: string): void {
  if (uid === undefined) return
  const file = realpathSync(path)
  // Where a link leads is decided by who can write to its folder.
  const folders = [...new Set([dirname(file), realpathSync(dirname(path))])]
  if ((statSync(file).mode & 0o022) === 0 && !folders.some((folder) => isReplaceableIn(folder, uid))) return
  throw new UsageError(`others can write to ${name}, so its key command is not run`, {
    hint: `take that from them: chmod go-w ${[file, ...folders].join(' ')}`,
  })
}

/** Whether others can put something else in place of a file of ours in this folder. */
function isReplaceableIn(folder: string, uid: number): boolean {
  const held = statSync(folder)
  // In a folder such as /tmp, only the owner of a file can replace it.
  const isShared = (held.mode & 0o022) !== 0 && (held.mode & 0o1000) === 0
  return isShared || ![uid, 0].includes(held.uid)
}

/** For what has to be a regular file. */
export function notRegular(name: string): UsageError {
  return new UsageError(`${name} is not a regular file`)
}
