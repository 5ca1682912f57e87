import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeSystemError, OutputError, toExhaustedHandlesError } from '../errors.ts'

export interface TemporaryDirectory {
  path: string
  remove(): Promise<void>
}

/**
 * Creates a directory that only this user can read.
 * @param what what is stored in it, for the error
 * @throws {OutputError} when it cannot be created
 */
export async function createTemporaryDirectory(what: string, parent = tmpdir()): Promise<TemporaryDirectory> {
  try {
    const path = await mkdtemp(join(parent, 'meetroom-'))
    // Retries, because a process that was stopped may still write files.
    return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 5 }) }
  } catch (error) {
    throw toExhaustedHandlesError(error) ?? storageError(what, parent, error)
  }
}

/** Error for a temporary file that cannot be written. */
export function storageError(what: string, parent: string, error: unknown): OutputError {
  const reason = describeSystemError(error, 'no such directory')
  return new OutputError(`${what} cannot be stored in ${parent}: ${reason}`, {
    hint: 'choose another directory with TMPDIR',
    cause: error,
  })
}
