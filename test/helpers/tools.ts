import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { notice } from '../suites/size.ts'

/** Programs of POSIX that tests use without a check. A machine with npm has them, because npm runs scripts with `sh`. */
export const posixTools = ['sh', 'mkdir', 'mkfifo', 'stty'] as const

/**
 * Returns whether this machine has a program beyond Node, npm and POSIX. Prints a notice when it does not.
 * @param tests the tests that are skipped without the program
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
