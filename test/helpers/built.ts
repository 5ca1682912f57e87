import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { soon } from './waiting.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

/** The launcher of the built program. Tests and benches run in the project’s folder. */
export const launcher = resolve('bin/meetroom.js')

/** The Node that the built program runs on: the matrix names others than the one that runs the tests. */
export const node = process.env['MEETROOM_TEST_NODE'] ?? process.execPath

/** Runs the built program as people do, in a process of its own with nothing of this one’s environment. */
export function runBuilt(
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
  options: CommandOptions = {},
): Promise<Finished> {
  return runCommand(node, [launcher, ...argv], env, stdin, options)
}

/** Runs a script in bash, where `meetroom` is the built program. */
export function runShell(
  script: string,
  env: Record<string, string>,
  options: CommandOptions = {},
): Promise<Finished> {
  const meetroom = `meetroom() { "${node}" "${launcher}" "$@"; }`
  return runCommand('bash', ['-c', `${meetroom}; ${script}`], env, '', options)
}

interface CommandOptions {
  cwd?: string
  /** How long it may take, in milliseconds. */
  patienceMs?: number
}

/**
 * Runs any command to its end.
 * @throws when it does not end in time
 */
export function runCommand(
  command: string,
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
  { cwd, patienceMs = 25_000 }: CommandOptions = {},
): Promise<Finished> {
  const child = spawn(command, argv, { env: { PATH: process.env['PATH'], ...env }, cwd })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Finished>((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
  // A program may end without having read it.
  child.stdin.on('error', () => {}).end(stdin)
  const seen = () => ({ stdout, stderr })
  return soon(`the end of ${[command, ...argv].join(' ')}`, ended, seen, patienceMs).finally(() =>
    child.kill('SIGKILL'),
  )
}
