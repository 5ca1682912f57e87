import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { full } from '../suites/size.ts'
import { launcher, node } from './built.ts'
import { listen } from './listen.ts'
import { type Running, startProgram } from './serving.ts'
import type { Within } from './stall.ts'
import { soon } from './waiting.ts'

/** The signals that ask a program to stop, with the exit codes that they lead to. */
export const stopCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
export type Stop = keyof typeof stopCodes
const stops = Object.keys(stopCodes) as Stop[]

/** Each case with every signal; in the quick form with one, and every signal gets its share of the cases. */
export const withStops = <Case>(cases: readonly Case[]): [stop: Stop, one: Case][] =>
  cases.flatMap((one, nth) =>
    (full ? stops : stops.slice(nth % 3, (nth % 3) + 1)).map((stop) => [stop, one] as [Stop, Case]),
  )

/** How long a process may outlive a signal, in milliseconds. Beside the other tests, on a machine with few cores, it takes its time. */
export const promptlyMs = full ? 300 : 3000

/** For tests that measure: the machine may be busy with something else at that moment. */
export const measured = { retry: full ? 3 : 0, timeout: 60_000 }

export interface Signalled {
  code: number | null
  /** The signal that ended the process, where it did not end by itself. */
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** From the signal to the end, in milliseconds. */
  lingeredMs: number
}

interface Start {
  env: Record<string, string>
  cwd?: string | undefined
  within?: Within
  /** Leaves standard input open. */
  openStdin?: boolean
}

/**
 * Runs the built program and sends it a signal.
 * @param reached resolves when it is where the signal is to meet it
 * @param meanwhile happens behind the signal; what the process waits for until then is not measured
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
  // A program that lingers after its report ends itself with the signal, for which a shell gives the same number.
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
 * A service that says the same to every request.
 * @param answer byte for byte
 */
export async function stuckService(answer: string) {
  let tell = () => {}
  const asked = new Promise<void>((resolve) => {
    tell = resolve
  })
  const server = createServer((socket) => {
    socket.on('data', () => {
      if (answer === '') tell()
      else socket.write(answer, tell)
    })
  })
  /** `asked` resolves when a request has got this answer. */
  return { baseUrl: `http://127.0.0.1:${await listen(server)}/v1`, asked }
}

/** A service that keeps its answers back. */
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
    /** Resolves when so many requests wait. */
    holds: (many: number) =>
      new Promise<void>((resolve) => {
        came = () => {
          if (held.length >= many) resolve()
        }
        came()
      }),
    /** Answers all that wait. */
    letGo: () => {
      for (const answer of held.splice(0)) answer()
    },
  }
}
