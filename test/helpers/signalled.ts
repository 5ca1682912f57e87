import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { full, share } from '../suites/size.ts'
import { launcher, node } from './built.ts'
import { listen } from './listen.ts'
import { type Running, startProgram } from './serving.ts'
import type { Within } from './stall.ts'
import { soon } from './waiting.ts'

/** Stop signals with their exit codes. */
export const stopCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type Stop = keyof typeof stopCodes
const stops = Object.keys(stopCodes) as Stop[]

/** Combines each case with every signal, or with one signal in a quick run. */
export const withStops = <Case>(cases: readonly Case[]): [stop: Stop, one: Case][] =>
  cases.flatMap((one, nth) => share(stops, -nth, stops.length).map((stop) => [stop, one] as [Stop, Case]))

/** Maximum time from a signal to the end of the process, in milliseconds. */
export const promptlyMs = full ? 300 : 3000

/** Options of tests that measure time. A full run allows retries for a busy machine. */
export const measured = { retry: full ? 3 : 0, timeout: 60_000 }

export interface Signalled {
  code: number | null
  /** Signal that ended the process; null if the process exited. */
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Milliseconds to the end, after the signal and `meanwhile`. */
  lingeredMs: number
}

interface Start {
  env: Record<string, string>
  cwd?: string | undefined
  within?: Within
  openStdin?: boolean
}

/**
 * Sends a signal to the built program when `reached` resolves.
 * @param meanwhile runs after the signal; its duration is not measured
 * @throws {Error} if the program ends before the signal, or a wait takes too long
 */
export async function signalled(
  argv: readonly string[],
  { env, cwd, within = (line) => line, openStdin = false }: Start,
  signal: Stop,
  reached: (running: Running) => Promise<unknown>,
  meanwhile?: (running: Running) => unknown,
): Promise<Signalled> {
  const [command, ...rest] = within([node, launcher, ...argv])
  const running = startProgram(command, rest, env, cwd)
  running.child.stdin?.on('error', () => {})
  if (!openStdin) running.child.stdin?.end()
  const early = running.ended().then(() => 'ended')
  const what = await soon(`the place for ${signal}`, Promise.race([reached(running), early]), running.log)
  if (what === 'ended') throw new Error(`ended before ${signal}:\n${running.log()}`)
  let since = performance.now()
  running.child.kill(signal)
  if (meanwhile) {
    await meanwhile(running)
    since = performance.now()
  }
  const ended = await running.ended()
  // Uses the exit code that a shell reports after the signal.
  const endsItself = ended.signal === signal && /\binterrupted\b/.test(running.log())
  return {
    ...ended,
    code: endsItself ? stopCodes[signal] : ended.code,
    lingeredMs: performance.now() - since,
    stdout: running.stdout.all.join('\n'),
    stderr: running.log(),
  }
}

/**
 * Starts a service with the same response to every request.
 * @param answer raw response; empty for no response
 */
export async function stuckService(answer: string) {
  let tell = () => {}
  /** Resolves after the first request and its response, if any. */
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  const server = createServer((socket) => {
    socket.on('data', () => {
      if (answer === '') tell()
      else socket.write(answer, tell)
    })
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server)}/v1`, asked }
}

/** Starts a service that holds its responses until `letGo` is called. */
export async function heldService() {
  const held: (() => void)[] = []
  let came = () => {}
  const server = createHttpServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const sent = JSON.parse(body || '{}')
    const answer = { user: { id: 'u', ...sent }, room: { id: request.url?.split('/').at(-1) } }
    held.push(() => response.end(JSON.stringify(answer)))
    came()
  })
  return {
    baseUrl: `http://127.0.0.1:${await listen(server)}/v1`,
    /** Resolves when at least `many` requests are pending. */
    holds: (many: number) =>
      new Promise<void>((resolve) => {
        came = () => {
          if (held.length >= many) resolve()
        }
        came()
      }),
    letGo: () => {
      for (const answer of held.splice(0)) answer()
    },
  }
}
