import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'
import { toExhaustedHandlesError } from './system-error.ts'

/** Number of free file handles that the local workspace needs. */
const requiredHandles = 14

/**
 * Prevents a panic of libsql.
 * @throws {OutputError} if too few file handles are available
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
