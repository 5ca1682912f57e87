import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { UsageError } from '../errors.ts'
import { createNotRegularError } from './trusted-file.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants

/**
 * Opens a private file. Does not follow symbolic links, because another user may have created them.
 * @throws {UsageError} when the path is not a regular file
 */
export async function openOwnFile(path: string, mode: 'append' | 'truncate'): Promise<FileHandle> {
  const how = mode === 'append' ? O_APPEND : O_TRUNC
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | how
  const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP')
      throw new UsageError(`${path} is a symbolic link`, { hint: 'name the file itself' })
    // ENXIO means that the path is a named pipe without a reader.
    throw error.code === 'ENXIO' ? createNotRegularError(path) : error
  })
  return requireRegular(file, path, true)
}

/** @throws a system error with EEXIST when the path exists, even as a symbolic link */
export function createOwnFile(path: string): Promise<FileHandle> {
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}

/**
 * Opens a file, device or pipe for output, such as /dev/stderr or `>(…)`.
 * @throws {UsageError} when the path is a symbolic link to a file or to a missing target
 */
export async function openUserFile(path: string): Promise<FileHandle> {
  const found = await stat(path).catch(() => undefined)
  if (!found || found.isFile() || found.isDirectory()) return openOwnFile(path, 'truncate')
  return requireRegular(await open(path, O_WRONLY), path, false)
}

async function requireRegular(file: FileHandle, path: string, regular: boolean): Promise<FileHandle> {
  if ((await file.stat()).isFile() === regular) return file
  await file.close()
  throw regular ? createNotRegularError(path) : new UsageError(`${path} has become a file`)
}
