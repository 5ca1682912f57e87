import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { UsageError } from '../errors.ts'
import { readText } from './read-file.ts'

/** Maximum number of symbolic links in a path, as in Linux. */
const maxLinks = 40

/**
 * Reads a file with a key or a base URL. The file, and followed links with their directories, must belong to
 * this user or root, and other users must not have write permission for the file.
 * @param uid undefined to skip these checks
 * @param hasOwnDirectory true if the directory must also belong to this user or root
 * @throws {UsageError} or a system error if the file cannot be used
 */
export function readTrusted(
  path: string,
  uid: number | undefined,
  name: string,
  { hasOwnDirectory = false } = {},
): string {
  if (uid === undefined) return readText(path, { name, follow: true })
  const file = followOwnLinks(path, uid, name)
  const text = readText(file, { name, check: (found) => requirePrivate(file, found, uid, name) })
  const dir = dirname(file)
  if (hasOwnDirectory && !isOwn(statSync(dir), uid)) throw createForeignPathError(name, 'in a directory', dir)
  return text
}

/** Returns true for an error of `readTrusted` if a directory of another user hides the file. */
export function isHiddenByOthers(error: unknown, uid: number | undefined): boolean {
  const { code, syscall, path } = error as NodeJS.ErrnoException
  return code === 'EACCES' && syscall === 'lstat' && lstatSync(dirname(path ?? '')).uid !== uid
}

/**
 * Reads a file with a key or a base URL. Other users who can replace the file may also have write permission
 * for it, as in container volumes.
 * @throws {UsageError} or a system error if the file cannot be used
 */
export function readInDataDirectory(path: string, uid: number | undefined): string {
  const { mode } = statSync(dirname(path))
  // In a sticky directory, write permission does not allow replacing another user's file.
  const shared = isSticky(mode) ? 0 : mode & 0o022
  return readText(path, { check: (found) => requirePrivate(path, found, uid, path, shared) })
}

/** @param shared write permissions that other users may have */
function requirePrivate(path: string, found: Stats, uid: number | undefined, name: string, shared = 0): void {
  if (uid === undefined || !found.isFile()) return
  if (!isOwn(found, uid))
    throw new UsageError(`${name} belongs to another account of this machine (uid ${found.uid})`, {
      hint: 'use a file that belongs to you or to root, because its owner controls your key',
    })
  if ((found.mode & 0o022 & ~shared) === 0) return
  throw new UsageError(`other accounts of this machine can write to ${name}`, {
    hint: `check the contents, then remove the permission with: chmod go-w '${path}'`,
  })
}

/**
 * Returns the path without symbolic links.
 * @throws {UsageError} if another user could change the target of a link
 * @throws a system error, such as for more than `maxLinks` links
 */
function followOwnLinks(path: string, uid: number, name: string): string {
  const rest = resolve(path).split('/')
  let at = '/'
  for (let links = 0; rest.length > 0; ) {
    const step = rest.shift() ?? ''
    const next = join(at, step)
    const found = lstatSync(next)
    if (!found.isSymbolicLink()) {
      at = next
      continue
    }
    if (!isOwn(found, uid) || !isOwn(lstatSync(at), uid))
      throw createForeignPathError(name, 'reached through a symbolic link', next)
    if (++links > maxLinks) throw Object.assign(new Error('ELOOP'), { code: 'ELOOP', syscall: 'open' })
    const target = readlinkSync(next)
    rest.unshift(...target.split('/'))
    if (isAbsolute(target)) at = '/'
  }
  return at
}

function createForeignPathError(name: string, where: string, path: string): UsageError {
  return new UsageError(`${name} is ${where} of another account of this machine: ${path}`, {
    hint: 'use a directory that belongs to you or to root',
  })
}

const isOwn = (found: Stats, uid: number) => found.uid === uid || found.uid === 0

const isSticky = (mode: number) => (mode & 0o1000) !== 0

/** @throws {UsageError} if permissions let other users replace the file, which contains a command to run */
export function requireIrreplaceable(path: string, uid: number | undefined, name: string): void {
  if (uid === undefined) return
  // A user who can write to the directory of a symbolic link can replace the link.
  const directories = [...new Set([dirname(realpathSync(path)), realpathSync(dirname(path))])]
  const shared = directories.filter((directory) => {
    const { mode } = statSync(directory)
    return (mode & 0o022) !== 0 && !isSticky(mode)
  })
  if (shared.length === 0) return
  throw new UsageError(`other accounts of this machine can replace ${name}, so its key command is not run`, {
    hint: `remove the permission with: chmod go-w ${shared.map((directory) => `'${directory}'`).join(' ')}`,
  })
}
