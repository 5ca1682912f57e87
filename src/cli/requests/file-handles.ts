import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { toExhaustedHandlesError } from '../../errors.ts'

/** Number of file handles for SQLite's files, libsql's threads and the command's own files. */
const requiredHandles = 14

/**
 * Without enough file handles, libsql panics.
 * @throws {OutputError} when there are too few file handles
 */
export function requireHandles(): void {
  const opened: number[] = []
  try {
    while (opened.length < requiredHandles) opened.push(openSync(devNull, 'r'))
  } catch (error) {
    const handles = toExhaustedHandlesError(error)
    if (handles) throw handles
  } finally {
    for (const handle of opened) closeSync(handle)
  }
}
