import { spawn } from 'node:child_process'
import { soon } from './waiting.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  cwd?: string
  /** How long it may take, in milliseconds. */
  patienceMs?: number
  /** Called with its standard output so far. */
  onOutput?(stdout: string): void
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
  { cwd, patienceMs = 25_000, onOutput = () => {} }: CommandOptions = {},
): Promise<Finished> {
  const child = spawn(command, argv, { env: { PATH: process.env['PATH'], ...env }, cwd })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    onOutput(stdout)
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Finished>((done, failed) => {
    child.on('error', failed)
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
  // The program may end before it has read its input.
  child.stdin.on('error', () => {}).end(stdin)
  const seen = () => ({ stdout, stderr })
  return soon(`the end of ${[command, ...argv].join(' ')}`, ended, seen, patienceMs).finally(() =>
    child.kill('SIGKILL'),
  )
}
