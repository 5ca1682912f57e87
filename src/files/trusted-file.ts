import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../errors.ts'

/**
 * Reads a regular file of this user or root. Links are followed, for Kubernetes mounts and dotfile managers.
 * @param uid user ID; undefined on systems without user IDs
 * @throws {UsageError} when the file is not trusted
 */
export function readTrusted(path: string, uid: number | undefined, name: string): string {
  // Opening a named pipe without a writer would block.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const found = fstatSync(file)
    if (!found.isFile()) throw notRegularError(name)
    if (uid !== undefined && found.uid !== uid && found.uid !== 0)
      throw new UsageError(`${name} belongs to another user (${found.uid})`, {
        hint: 'whoever can write to it decides where your key goes: own it, or let root own it',
      })
    return readFileSync(file, 'utf8')
  } finally {
    closeSync(file)
  }
}

/** @throws {UsageError} when other users can write or replace the file, whose contents are executed */
export function requireUnwritable(path: string, uid: number | undefined, name: string): void {
  if (uid === undefined) return
  const file = realpathSync(path)
  // The directory of a link decides where it leads.
  const folders = [...new Set([dirname(file), realpathSync(dirname(path))])]
  if ((statSync(file).mode & 0o022) === 0 && !folders.some((folder) => isReplaceableIn(folder, uid))) return
  throw new UsageError(`others can write to ${name}, so its key command is not run`, {
    hint: `take that from them: chmod go-w ${[file, ...folders].join(' ')}`,
  })
}

/** Returns true when other users can replace a file in the directory. */
function isReplaceableIn(folder: string, uid: number): boolean {
  const held = statSync(folder)
  // In a directory such as /tmp, only the owner of a file can replace it.
  const isShared = (held.mode & 0o022) !== 0 && (held.mode & 0o1000) === 0
  return isShared || ![uid, 0].includes(held.uid)
}

export function notRegularError(name: string): UsageError {
  return new UsageError(`${name} is not a regular file`)
}
