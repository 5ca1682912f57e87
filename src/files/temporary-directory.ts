import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toStorageError } from './file-errors.ts'

export type TemporaryDirectory = Awaited<ReturnType<typeof createTemporaryDirectory>>

/**
 * Creates a directory with mode 0700.
 * @param what contents of the directory, for the error
 * @throws {OutputError} if the creation fails
 */
export async function createTemporaryDirectory(what: string, parent = tmpdir()) {
  try {
    const path = await mkdtemp(join(parent, 'meetroom-'))
    // Retries, because a stopped process may still write files.
    return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
  } catch (error) {
    throw toStorageError(what, parent, error)
  }
}
