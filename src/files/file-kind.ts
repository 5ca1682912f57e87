import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { UsageError } from '../errors.ts'

export function createNotRegularError(name: string): UsageError {
  return new UsageError(`${name} is not a regular file`)
}

export function createLinkError(name: string): UsageError {
  return new UsageError(`${name} is a symbolic link`, { hint: 'pass the file itself' })
}

export function refuseDirectory(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`${path} is a directory`, { hint: 'pass the path of a file in it' })
}

/**
 * Resolves the path of an output that the user named.
 * @param example name of a file, for the error
 * @throws {UsageError} for a path that ends in a slash
 */
export function resolveOutput(file: string, { cwd }: { cwd: string }, example = 'output'): string {
  if (!file.endsWith('/') && !file.endsWith(sep)) return resolve(cwd, file)
  throw new UsageError(`${file} names a directory`, {
    hint: `pass the path of a file, such as ${file}${example}`,
  })
}

/**
 * Creates the error for an existing path.
 * @throws {UsageError} for a directory
 */
export function createExistsError(path: string, because = '', hint = 'pass a new file'): UsageError {
  refuseDirectory(path)
  return new UsageError(`${path} already exists${because}`, { hint })
}

export function createDirectoryError(): NodeJS.ErrnoException {
  return Object.assign(new Error('EISDIR'), { code: 'EISDIR', syscall: 'open' })
}

/**
 * @throws {UsageError} for a link, pipe, socket or device
 * @throws a system error with EISDIR for a directory
 */
export function requireRegular(path: string, found: Stats): void {
  if (found.isDirectory()) throw createDirectoryError()
  if (found.isSymbolicLink()) throw createLinkError(path)
  if (!found.isFile()) throw createNotRegularError(path)
}

/**
 * Requires that this user or root owns the target of a write, because another owner could read the contents.
 * Root may also write files of the directory's owner.
 * @throws the error of `requireOwnFile`
 */
export function requireOwner(path: string, found: Stats, uid: number | undefined): void {
  if (uid === 0 && lstatSync(dirname(path)).uid === found.uid) return
  requireOwnFile(path, found, uid)
}

/** @throws {UsageError} if neither this user nor root owns the file; never if `uid` is undefined */
export function requireOwnFile(path: string, found: Stats, uid: number | undefined): void {
  if (uid === undefined || found.uid === uid || found.uid === 0) return
  throw new UsageError(`${path} belongs to another account of this machine (uid ${found.uid})`, {
    hint: 'change the owner of the file, or pass another file',
  })
}

/** Returns a warning if other users, except root, own or can write to a data directory. */
export function describeSharedDirectory(dir: string, uid: number | undefined): string | undefined {
  if (uid === undefined) return undefined
  const { uid: owner, mode } = statSync(dir)
  if (owner !== uid && owner !== 0)
    return `warning: the data directory ${dir} belongs to another account of this machine (uid ${owner})`
  return (mode & 0o022) === 0
    ? undefined
    : `warning: other accounts of this machine can write to the data directory ${dir}`
}
