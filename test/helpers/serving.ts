import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { launcher, node } from './built.ts'
import { environment } from './command.ts'
import { Inbox } from './inbox.ts'
import type { Within } from './stall.ts'
import { soon } from './waiting.ts'
import { tempDir } from './world.ts'

/** A running program whose output can be read line by line. */
export interface Running {
  child: ChildProcess
  stdout: Inbox<string>
  stderr: Inbox<string>
  /** Waits for its end. */
  ended(patienceMs?: number): Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Standard error so far. */
  log(): string
  /** The next line on standard error that matches. */
  logged(pattern: RegExp): Promise<string>
}

/** Starts the built program, and kills it when the test is over. */
export function startBuilt(argv: readonly string[], env: Record<string, string>, cwd?: string): Running {
  return startProgram(node, [launcher, ...argv], env, cwd)
}

/** Starts any program, and kills it when the test is over. */
export function startProgram(
  command: string,
  argv: readonly string[],
  env: Record<string, string>,
  cwd?: string,
): Running {
  const child = spawn(command, argv, { env: environment(env), cwd })
  const stdout = lines(child.stdout, 'a line on standard output')
  const stderr = lines(child.stderr, 'a line on standard error')
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
    log: () => stderr.all.join('\n'),
    logged: (pattern) => stderr.find(`like ${pattern}`, (line) => pattern.test(line)),
  }
}

function lines(stream: NodeJS.ReadableStream, what: string): Inbox<string> {
  const inbox = new Inbox<string>(what)
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) inbox.put(line)
  })
  return inbox
}

/** Folders for settings, workspace and temporary files, so that those of this machine do not matter. */
export function homes() {
  const dir = tempDir()
  return {
    HOME: dir,
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_DATA_DIR: join(dir, 'data'),
    TMPDIR: dir,
  }
}

export interface Ready {
  event: 'ready'
  base_url: string
  api_key_file: string
  pid: number
}

export interface ServeOptions {
  /** The program: the built one unless a test says otherwise. */
  script?: string | undefined
  /** Turns the command line into one that runs it in surroundings of its own. */
  within?: Within
}

/** Starts `meetroom serve --json` on a free port and waits until it is ready. */
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
  // Ends what runs within another program, too.
  onTestFinished(() => {
    if (running.child.exitCode === null && running.child.signalCode === null)
      process.kill(service.ready.pid, 'SIGKILL')
  })
  return {
    ...running,
    ...service,
    /** Ends it with a signal. */
    stop(signal: NodeJS.Signals = 'SIGTERM') {
      process.kill(service.ready.pid, signal)
      return running.ended()
    },
  }
}

/** A service as it describes itself when it is ready. */
export function serviceOf(ready: Ready) {
  const apiKey = readFileSync(ready.api_key_file, 'utf8').trim()
  /** Sends a request. */
  async function call(method: string, path: string, body?: object) {
    const response = await fetch(ready.base_url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  return {
    ready,
    apiKey,
    call,
    /** The variables that lead commands to it. */
    api: { MEETROOM_BASE_URL: ready.base_url, MEETROOM_API_KEY: apiKey },
    /** Creates a room; returns its ID. */
    createRoom: async (more: object = {}): Promise<string> =>
      (await call('POST', '/rooms', { name: 'Weekly sync', type: 'open', ...more })).body.room.id,
  }
}
