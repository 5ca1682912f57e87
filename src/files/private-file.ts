import { constants } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { UsageError } from '../errors.ts'
import { createNotRegularError } from './trusted-file.ts'

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants

/**
 * Opens a private file without following links, which other users may have placed.
 * @throws {UsageError} when the path is not a regular file
 */
export async function openOwnFile(path: string, mode: 'append' | 'truncate'): Promise<FileHandle> {
  const how = mode === 'append' ? O_APPEND : O_TRUNC
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | how
  const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP')
      throw new UsageError(`${path} is a symbolic link`, { hint: 'name the file itself' })
    // A named pipe without a reader.
    throw error.code === 'ENXIO' ? createNotRegularError(path) : error
  })
  return requireRegular(file, path, true)
}

/** @throws a system error with EEXIST when the path exists, also as a link */
export function createOwnFile(path: string): Promise<FileHandle> {
  return open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
}

/**
 * Opens an output file of the user, or a device or pipe such as /dev/stderr and `>(…)`.
 * @throws {UsageError} when a link leads to a file, or nowhere
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
