import { isAbsolute } from 'node:path'
import { AuthError, InterruptedError, UsageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { splitWords } from '../input/split-command.ts'

/** How long the command may take, in milliseconds, and how much it may print, in characters: all of it is looked for in texts. */
const patienceMs = 10_000
/** How long output that was written before the exit may take to arrive, in milliseconds. */
const drainMs = 100
const most = 4096

/** What a key command is run with. */
interface Surroundings {
  host: Host
  /** Aborted by SIGINT and SIGTERM. */
  interrupt: AbortSignal
  /** Takes note of what must never be shown. */
  keepSecret: (secret: string) => void
}

/**
 * The words of a command that prints a key. No shell runs it, so what only a shell understands is refused rather than
 * handed over.
 * @throws {UsageError}
 */
export function readKeyCommand(line: string): readonly [program: string, ...args: string[]] {
  const { words, open, special } = splitWords(line.trim())
  const [program = '', ...args] = words
  const hint = "quote what is meant literally, or name a script: '/usr/local/bin/my-key'"
  if (program === '') throw new UsageError('the key command is empty')
  if (open !== '') throw new UsageError(`the key command ends within ${open}`, { hint })
  if (special !== undefined)
    throw new UsageError(`the key command is run without a shell, and “${special}” is for shells`, { hint })
  // It would be another program in each folder.
  if (/[\\/]/.test(program) && !isAbsolute(program))
    throw new UsageError(`the key command names a relative path: “${program}”`, {
      hint: 'write the whole path, or a name that is found in PATH',
    })
  return [program, ...args]
}

/**
 * The key that a command prints: one line. What the command says on standard error is told only when it fails; whoever
 * asks for a password or a finger does that on the terminal itself.
 * @param from whose command it is, for messages
 * @throws {AuthError} when it fails, takes more than ten seconds, or prints anything but one line
 */
export async function runKeyCommand(line: string, from: string, around: Surroundings): Promise<string> {
  const { stdout, stderr, end } = await run(readKeyCommand(line), around)
  const key = stdout.trim()
  // Even what is no key may be one with something around it.
  if (key.length <= most) for (const part of [key, ...key.split(/\s+/)]) around.keepSecret(part)
  const last = stderr
    .trim()
    .split(/[\r\n]+/)
    .at(-1)
  const failed = (what: string) =>
    new AuthError(`no API key: the key command of ${from} ${what}`, {
      hint: last ? `it says: ${last.slice(0, 300)}` : 'run it by hand to see what it prints',
    })
  if (end !== undefined) throw failed(end)
  if (key.length > most) throw failed('prints too much')
  if (key === '') throw failed('prints nothing')
  if (/[\r\n]/.test(key)) throw failed('prints more than one line')
  if (!/^[\x21-\x7e]+$/.test(key))
    throw failed('prints a space or another character that is not allowed in a key')
  return key
}

interface Printed {
  stdout: string
  stderr: string
  /** Why what it printed is no key; undefined where it has ended well. */
  end: string | undefined
}

async function run(
  [program, ...args]: readonly [string, ...string[]],
  { host, interrupt }: Surroundings,
): Promise<Printed> {
  interrupt.throwIfAborted()
  const { spawn } = await import('node:child_process')
  const { promise, resolve, reject } = withResolvers<string | undefined>()
  // A new group has no terminal to ask for a password on.
  const leadsGroup = host.platform !== 'win32' && !host.stdin.isTTY && !host.stderr.isTTY
  const child = spawn(program, args, {
    env: { ...host.env },
    // Standard input may hold ids for us.
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
    detached: leadsGroup,
  })
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
      if (printed[name].length > most * 16) resolve('prints too much')
    })
  child.on('error', ({ code }: NodeJS.ErrnoException) =>
    resolve(code === 'ENOENT' ? `names no program: “${program}”` : `cannot be started (${code})`),
  )
  const endOf = (code: number | null, signal: NodeJS.Signals | null) =>
    code === 0 ? undefined : code === null ? `was ended by ${signal}` : `failed with exit code ${code}`
  let cancelDrain = () => {}
  child.on('close', (code, signal) => resolve(endOf(code, signal)))
  // A process that the command has started may hold the pipes open for as long as it runs.
  child.on('exit', (code, signal) => {
    cancelDrain = host.after(drainMs, () => resolve(endOf(code, signal)))
  })
  const cancel = host.after(patienceMs, () => resolve('took more than 10 seconds'))
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
    // After a success, an agent that the command has started stays.
    if (!isDone && child.pid !== undefined) await endProcesses(child.pid, leadsGroup, host)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Kills the command and the processes that it has started. */
async function endProcesses(pid: number, leadsGroup: boolean, host: Host): Promise<void> {
  if (leadsGroup) return host.kill(-pid)
  const descendants = host.platform === 'win32' ? [] : await findDescendants(pid)
  for (const found of [pid, ...descendants]) host.kill(found)
}

/** The processes that a process has started, and those that these have started; none where `ps` fails. */
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
  // The loop visits the processes that it adds.
  for (const parent of found)
    for (const [child = 0, ppid] of processes) if (ppid === parent && child > 1) found.push(child)
  return found.slice(1)
}

/** Promise.withResolvers, which Node 20 lacks. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (reason: unknown) => void = () => {}
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}
