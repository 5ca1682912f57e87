import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { soon } from './waiting.ts'

export interface Finished {
  code: number | null
  stdout: string
  stderr: string
}

export interface CommandOptions {
  cwd?: string
  /** Maximum run time, in milliseconds; 25,000 by default. */
  patienceMs?: number
  /** Called with all standard output received so far. */
  onOutput?(stdout: string): void
}

/** Cache directory that tests share, because compilation takes most of the startup time. */
const sharedCache = resolve('node_modules/.cache/tests-code')
mkdirSync(dirname(sharedCache), { recursive: true })

/** Returns the environment of a process. `XDG_CACHE_HOME: ''` turns off the shared code cache. */
export const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  XDG_CACHE_HOME: sharedCache,
  ...env,
})

/**
 * Runs a command.
 * @throws {Error} if the command cannot be started, or does not exit within `patienceMs`
 */
export function runCommand(
  command: string,
  argv: readonly string[],
  env: Record<string, string>,
  stdin = '',
  { cwd, patienceMs = 25_000, onOutput = () => {} }: CommandOptions = {},
): Promise<Finished> {
  const child = spawn(command, argv, { env: environment(env), cwd })
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
