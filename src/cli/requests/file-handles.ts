import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { exhaustedHandlesError } from '../../errors.ts'

/** How many SQLite takes for its files, libsql for its threads, and a few for what else a command opens. */
const needed = 14

/**
 * Makes sure that the local workspace can be opened: short of handles, SQLite cannot say why it fails, and libsql panics.
 * @throws {OutputError} when there are too few file handles
 */
export function requireHandles(): void {
  const taken: number[] = []
  try {
    while (taken.length < needed) taken.push(openSync(devNull, 'r'))
  } catch (error) {
    const handles = exhaustedHandlesError(error)
    if (handles) throw handles
  } finally {
    for (const handle of taken) closeSync(handle)
  }
}
