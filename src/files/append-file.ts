import { constants, fstatSync, ftruncateSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createLinkError, createNotRegularError, requireOwner, requireRegular } from './file-kind.ts'

const { O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_WRONLY } = constants

/**
 * Opens a private file to append lines, and creates a missing one with mode 0600. Symbolic links are not followed,
 * because the path is used for a long time and another user may create a link meanwhile.
 * @param uid effective user ID; undefined on systems without user IDs
 * @throws {UsageError} when the path is not a regular file of this user
 */
export async function openForAppend(
  path: string,
  uid: number | undefined,
  { truncate = false } = {},
): Promise<FileHandle> {
  const flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_APPEND
  const file = await open(path, flags, 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ELOOP') throw createLinkError(path)
    // ENXIO means that the path is a named pipe without a reader.
    throw error.code === 'ENXIO' ? createNotRegularError(path) : error
  })
  try {
    const found = fstatSync(file.fd)
    requireRegular(path, found)
    requireOwner(path, found, uid)
    if (truncate) ftruncateSync(file.fd)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
