import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { notice } from '../suites/size.ts'

/** POSIX programs that tests use without a check. */
export const posixTools = ['sh', 'mkdir', 'mkfifo', 'stty'] as const

/**
 * Returns true if the program is on the PATH. Otherwise, prints a notice.
 * @param tests name of the tests that are skipped without the program
 */
export function hasTool(program: string, suite: string, tests: string): boolean {
  const found = (process.env['PATH'] ?? '').split(delimiter).some((dir) => isProgram(join(dir, program)))
  if (!found) notice(suite, `${tests}: ${program} is not installed`)
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
