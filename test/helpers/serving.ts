import { type ChildProcess, spawn } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { launcher, node } from './built.ts'
import { environment } from './command.ts'
import { Inbox } from './inbox.ts'
import { linesInto, logOf, serviceOf } from './run-serve.ts'
import type { Within } from './stall.ts'
import { soon } from './waiting.ts'

export { homes, joinRoom, type Ready, serviceOf } from './run-serve.ts'

/** Running program whose output is read line by line. */
export interface Running extends ReturnType<typeof logOf> {
  child: ChildProcess
  stdout: Inbox<string>
  stderr: Inbox<string>
  /** Waits until the program has ended and its output is complete. */
  ended(patienceMs?: number): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
}

export function startBuilt(argv: readonly string[], env: Record<string, string>, cwd?: string): Running {
  return startProgram(node, [launcher, ...argv], env, cwd)
}

/** Starts a program and kills it at the end of the test. */
export function startProgram(
  command: string,
  argv: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Running {
  const child = spawn(command, argv, { env: environment(env), cwd })
  const stdout = new Inbox<string>('a line on standard output')
  const stderr = new Inbox<string>('a line on standard error')
  child.stdout.setEncoding('utf8').on('data', linesInto(stdout))
  child.stderr.setEncoding('utf8').on('data', linesInto(stderr))
  const closed = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal }))
  })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    child,
    stdout,
    stderr,
    ended: (patienceMs) => soon('the end of the program', closed, () => stderr.all, patienceMs),
    ...logOf(stderr),
  }
}

export interface ServeOptions {
  /** Path of the program; the built program by default. */
  script?: string | undefined
  within?: Within
}

/**
 * Starts `meetroom serve --json` on a free port.
 * @throws {Error} if the program does not become ready
 */
export async function startServe(
  argv: readonly string[],
  env: Record<string, string>,
  { script = launcher, within = (line) => line }: ServeOptions = {},
) {
  const [command, ...words] = within([node, script, 'serve', '--port', '0', '--json', ...argv])
  const running = startProgram(command, words, env)
  const first = await Promise.race([running.stdout.next(), running.ended().then(() => undefined)])
  if (first === undefined) throw new Error(`serve ended before it was ready:\n${running.log()}`)
  const service = serviceOf(JSON.parse(first))
  // Kills the service itself, because `child` may be a wrapper such as strace.
  onTestFinished(() => {
    if (running.child.exitCode === null && running.child.signalCode === null)
      process.kill(service.ready.pid, 'SIGKILL')
  })
  return {
    ...running,
    ...service,
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      process.kill(service.ready.pid, signal)
      return running.ended()
    },
  }
}
