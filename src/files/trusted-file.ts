import { realpathSync, type Stats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { UsageError } from '../errors.ts'
import { createNotRegularError } from './file-kind.ts'
import { readText } from './read-file.ts'

/**
 * Reads a regular file of this user or root. Follows symbolic links, because Kubernetes and dotfile managers use them.
 * @param uid user ID; undefined on systems without user IDs
 * @throws {UsageError} when the file is not regular or belongs to another user
 */
export function readTrusted(path: string, uid: number | undefined, name: string): string {
  const check = (found: Stats) => {
    if (!found.isFile()) throw createNotRegularError(name)
    if (uid !== undefined && found.uid !== uid && found.uid !== 0)
      throw new UsageError(`${name} belongs to another user (${found.uid})`, {
        hint: 'a user who can write to it controls where your key is sent: make yourself or root its owner',
      })
  }
  return readText(path, { name, follow: true, check })
}

/** @throws {UsageError} when other users can change or replace the file, which contains a command to run */
export function requireUnwritable(path: string, uid: number | undefined, name: string): void {
  if (uid === undefined) return
  const file = realpathSync(path)
  // A user who can write to the directory of a symbolic link can replace the link.
  const folders = [...new Set([dirname(file), realpathSync(dirname(path))])]
  if ((statSync(file).mode & 0o022) === 0 && !folders.some((folder) => isReplaceableIn(folder, uid))) return
  throw new UsageError(`other users can write to ${name}, so its key command is not run`, {
    hint: `remove that permission: chmod go-w ${[file, ...folders].join(' ')}`,
  })
}

function isReplaceableIn(folder: string, uid: number): boolean {
  const held = statSync(folder)
  // In a directory with the sticky bit, such as /tmp, only the owner of a file can replace it.
  const isShared = (held.mode & 0o022) !== 0 && (held.mode & 0o1000) === 0
  return isShared || ![uid, 0].includes(held.uid)
}
