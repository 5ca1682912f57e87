import { resolve } from 'node:path'
import { type CommandOptions, type Finished, runCommand } from './command.ts'

/** Launcher of the built program. Tests run in the directory of the project. */
export const launcher = resolve('bin/meetroom.js')

/** Node binary that runs the built program; `test/matrix.mjs` may set another version. */
export const node = process.env['MEETROOM_TEST_NODE'] ?? process.execPath

/** Runs the built program in a process that inherits only PATH from the environment. */
export function runBuilt(
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
  options: CommandOptions = {},
): Promise<Finished> {
  return runCommand(node, [launcher, ...argv], env, stdin, options)
}

/** Runs a script of POSIX sh, where `meetroom` is the built program. */
export function runShell(
  script: string,
  env: Record<string, string>,
  options: CommandOptions = {},
): Promise<Finished> {
  const meetroom = `meetroom() { "${node}" "${launcher}" "$@"; }`
  return runCommand('sh', ['-c', `${meetroom}; ${script}`], env, '', options)
}

/** Returns a POSIX sh script whose last output is the exit code of `command`. */
export function pipeTo(command: string, reader: string): string {
  return `exec 4>&1; code=$({ { { ${command}; } 3>&- 4>&-; echo $? >&3; } | { ${reader}; } >&4; } 3>&1); echo "$code"`
}
