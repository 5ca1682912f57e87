import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { UsageError } from './errors.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants

/**
 * The text of a file that decides what the program does: a regular file, of this user or of root. Links to it are
 * followed: Kubernetes mounts are such, and what dotfile managers keep.
 * @param uid number of this user; undefined where users have none
 * @param name what messages call the file
 * @throws {UsageError} when it is something else
 */
export function readTrusted(path: string, uid: number | undefined, name: string): string {
  // A named pipe that nobody writes to would be waited for.
  const file = openSync(path, O_RDONLY | O_NONBLOCK)
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
  const [held, holder] = [statSync(file), statSync(dirname(file))]
  // Of a folder such as /tmp, only the owner of a file can replace it.
  const isReplaceable = (holder.mode & 0o022) !== 0 && (holder.mode & 0o1000) === 0
  if ((held.mode & 0o022) !== 0 || isReplaceable || ![uid, 0].includes(holder.uid))
    throw new UsageError(`others can write to ${name}, so its key command is not run`, {
      hint: `take that from them: chmod go-w ${file} ${dirname(file)}`,
    })
}

/**
 * Opens a file of our own to be written, for this user alone. A link is not followed: in a folder that others can write
 * to, it may lead anywhere.
 * @throws {UsageError} when something else is there
 */
export async function openOwn(path: string, mode: 'append' | 'truncate'): Promise<FileHandle> {
  const how = mode === 'append' ? O_APPEND : O_TRUNC
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | how
  const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP')
      throw new UsageError(`${path} is a symbolic link`, { hint: 'name the file itself' })
    // A named pipe that nobody reads.
    throw error.code === 'ENXIO' ? notRegular(path) : error
  })
  return requireRegular(file, path, true)
}

/**
 * Makes a file of our own that is not there yet, for this user alone. A link is something that is there.
 * @throws a system error with EEXIST when something is there
 */
export function openNew(path: string): Promise<FileHandle> {
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}

/**
 * Opens a file that the user has named for what comes out of the program: as {@link openOwn}, or a device or pipe such
 * as /dev/stderr and the shell’s `>(…)`, which are links.
 * @throws {UsageError} when a link leads to a file, or nowhere
 */
export async function openSaved(path: string): Promise<FileHandle> {
  const found = await stat(path).catch(() => undefined)
  if (!found || found.isFile() || found.isDirectory()) return openOwn(path, 'truncate')
  return requireRegular(await open(path, O_WRONLY), path, false)
}

async function requireRegular(file: FileHandle, path: string, regular: boolean): Promise<FileHandle> {
  if ((await file.stat()).isFile() === regular) return file
  await file.close()
  throw regular ? notRegular(path) : new UsageError(`${path} has become a file`)
}

function notRegular(name: string): UsageError {
  return new UsageError(`${name} is not a regular file`)
}
