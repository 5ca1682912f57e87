import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type CommandOptions, type Finished, runCommand } from './command.ts'

/** The launcher of the built program. Tests and benches run in the project’s folder. */
export const launcher = resolve('bin/meetroom.js')

/** The Node that the built program runs on: the matrix names others than the one that runs the tests. */
export const node = process.env['MEETROOM_TEST_NODE'] ?? process.execPath

/**
 * Compiled code of earlier commands, which all tests share: compiling is half of a start. With `XDG_CACHE_HOME: ''`, a
 * command uses the cache in its home directory.
 */
export const sharedCache = { XDG_CACHE_HOME: resolve('node_modules/.cache/tests-code') }
mkdirSync(dirname(sharedCache.XDG_CACHE_HOME), { recursive: true })

/** Runs the built program as people do, in a process of its own with nothing of this one’s environment. */
export function runBuilt(
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
  options: CommandOptions = {},
): Promise<Finished> {
  return runCommand(node, [launcher, ...argv], { ...sharedCache, ...env }, stdin, options)
}

/** Runs a script of POSIX sh, where `meetroom` is the built program. */
export function runShell(
  script: string,
  env: Record<string, string>,
  options: CommandOptions = {},
): Promise<Finished> {
  const meetroom = `meetroom() { "${node}" "${launcher}" "$@"; }`
  return runCommand('sh', ['-c', `${meetroom}; ${script}`], { ...sharedCache, ...env }, '', options)
}

/** Returns a script of POSIX sh that pipes a command into a reader, and prints the exit code of the command last. */
export function pipeTo(command: string, reader: string): string {
  return `exec 4>&1; code=$({ { { ${command}; } 3>&- 4>&-; echo $? >&3; } | { ${reader}; } >&4; } 3>&1); echo "$code"`
}
