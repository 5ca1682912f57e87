import { isAbsolute } from 'node:path'
import { AuthError, InterruptedError, UsageError } from '../../errors.ts'
import { describeSystemError } from '../../files/system-error.ts'
import type { Host } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'
import type { RunningCommand } from './running-command.ts'

const timeoutMs = 10_000
/** Maximum time to wait for remaining output after the command exits, in milliseconds. */
const drainMs = 100
const maxKeyLength = 4096

/**
 * @throws {UsageError} for an invalid command line, or for shell syntax, because no shell runs the command
 */
export function readKeyCommand(line: string): readonly [program: string, ...args: string[]] {
  const { words, open, special } = splitWords(line.trim())
  const [program = '', ...args] = words
  const hint = "quote literal characters, or name a script: '/usr/local/bin/my-key'"
  if (program === '') throw new UsageError('the key command is empty')
  if (line.includes('\0')) throw new UsageError('the key command contains a NUL character')
  if (open !== '') throw new UsageError(`the key command ends within ${open}`, { hint })
  if (special !== undefined)
    throw new UsageError(`the key command must not contain “${special}”, because it runs without a shell`, {
      hint,
    })
  // A relative path would depend on the current directory.
  if (/[\\/]/.test(program) && !isAbsolute(program))
    throw new UsageError(`the path of the key command must be absolute, not “${program}”`, {
      hint: 'pass the absolute path, or the name of a program in PATH',
    })
  return [program, ...args]
}

/**
 * @param from origin of the command, for error messages
 * @throws {AuthError} if the command fails, takes more than 10 seconds, or prints no valid key
 * @throws {UsageError} if the command line is invalid
 * @throws {InterruptedError} after a signal
 */
export async function runKeyCommand(line: string, from: string, context: RunningCommand): Promise<string> {
  const { stdout, stderr, end } = await run(readKeyCommand(line), context)
  const key = stdout.trim()
  // Even invalid output may contain a key.
  if (key.length <= maxKeyLength) for (const part of [key, ...key.split(/\s+/)]) context.addSecret(part)
  const last = stderr
    .trim()
    .split(/[\r\n]+/)
    .at(-1)
  const keyError = (what: string) =>
    new AuthError(`no API key: the key command of ${from} ${what}`, {
      hint: last
        ? `the command printed: ${last.slice(0, 300)}`
        : 'run the command in a shell to see its output',
    })
  if (end !== undefined) throw keyError(end)
  if (key.length > maxKeyLength) throw keyError('prints too much')
  if (key === '') throw keyError('prints nothing')
  if (/[\r\n]/.test(key)) throw keyError('prints more than one line')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw keyError('prints a space or another character that is not allowed in a key')
  return key
}

interface CommandOutput {
  stdout: string
  stderr: string
  /** Reason why the output cannot be used; undefined if the command succeeded. */
  end: string | undefined
}

async function run(
  [program, ...args]: readonly [string, ...string[]],
  { host, interrupt }: RunningCommand,
): Promise<CommandOutput> {
  interrupt.throwIfAborted()
  const { spawn } = await import('node:child_process')
  const { promise, resolve, reject } = withResolvers<string | undefined>()
  // A process in a new group could not prompt for a password on the terminal.
  const leadsGroup = host.platform !== 'win32' && !host.stdin.isTTY && !host.stderr.isTTY
  const child = spawn(program, args, {
    env: { ...host.env },
    // Standard input is not passed on, because it may contain IDs for this program.
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: leadsGroup,
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
      if (printed[name].length > maxKeyLength * 16) resolve('prints too much')
    })
  child.on('error', (error: NodeJS.ErrnoException) =>
    resolve(
      error.code === 'ENOENT'
        ? `names an unknown program: “${program}”`
        : `cannot be started: ${describeSystemError(error)}`,
    ),
  )
  const describeExit = (code: number | null, signal: NodeJS.Signals | null) =>
    code === 0 ? undefined : code === null ? `was ended by ${signal}` : `failed with exit code ${code}`
  let cancelDrain = () => {}
  child.on('close', (code, signal) => resolve(describeExit(code, signal)))
  // A child process of the command may hold the pipes open after the exit.
  child.on('exit', (code, signal) => {
    cancelDrain = host.after(drainMs, () => resolve(describeExit(code, signal)))
  })
  const cancel = host.after(timeoutMs, () => resolve('took more than 10 seconds'))
  const stop = () => reject(interrupt.reason ?? new InterruptedError('SIGINT'))
  interrupt.addEventListener('abort', stop, { once: true })
  let isDone = false
  try {
    const end = await promise
    isDone = end === undefined
    return { end, ...printed }
  } finally {
    cancel()
    cancelDrain()
    interrupt.removeEventListener('abort', stop)
    // After success, child processes are not killed, because a child process may be a key agent.
    if (!isDone && child.pid !== undefined) await endProcesses(child.pid, leadsGroup, host)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

async function endProcesses(pid: number, leadsGroup: boolean, host: Host): Promise<void> {
  if (leadsGroup) return host.kill(-pid)
  const descendants = host.platform === 'win32' ? [] : await findDescendants(pid)
  for (const process of [pid, ...descendants]) host.kill(process)
}

async function findDescendants(pid: number): Promise<number[]> {
  const { execFile } = await import('node:child_process')
  const table = await new Promise<string>((done) =>
    execFile('ps', ['-A', '-o', 'pid=,ppid='], { timeout: 1000 }, (error, stdout) =>
      done(error ? '' : stdout),
    ),
  )
  const processes = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found = [pid]
  // The loop also visits processes that are added during the loop.
  for (const parent of found)
    for (const [child = 0, ppid] of processes) if (ppid === parent && child > 1) found.push(child)
  return found.slice(1)
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
