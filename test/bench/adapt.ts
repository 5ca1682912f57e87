// Compares `users import` with adaptive and with fixed concurrency, on a service with latency or a rate
// limit.
// Run with: npm run bench:adapt [-- --latency 0,50 --rows 1000 --fixed 8,16,32,64 --rounds 3 --limited 500
// --rate 50 --limited-rounds 3].
// --limited 0 skips the limited service, and --rounds 0 skips the other cases.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { alternate, printRatio, ratiosOf, spread } from './measured.ts'
import { launcher } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    latency: { type: 'string', default: '0,50' },
    rows: { type: 'string', default: '1000' },
    fixed: { type: 'string', default: '8,16,32,64' },
    rounds: { type: 'string', default: '3' },
    limited: { type: 'string', default: '500' },
    rate: { type: 'string', default: '50' },
    'limited-rounds': { type: 'string', default: '3' },
    program: { type: 'string', default: launcher },
    other: { type: 'string' },
  },
})
const numbers = (list: string) => list.split(',').map(Number)
const dir = mkdtempSync(join(tmpdir(), 'meetroom-adapt-'))

interface Stub {
  baseUrl: string
  requests: number
  /** Times from the first request to each refusal, in milliseconds. */
  refusedAt: number[]
  firstAt: number
  close(): void
}

interface Limits {
  latencyMs?: number
  perSecond?: number
  /** Size of the token bucket, in requests. By default, the requests of each second are counted. */
  burst?: number | undefined
  retryAfter?: boolean
}

async function startStub({ latencyMs = 0, perSecond, burst, retryAfter }: Limits): Promise<Stub> {
  let used = 0
  let countedAt = 0
  const server = createServer((request, response) => {
    const now = performance.now()
    if (stub.requests++ === 0) stub.firstAt = now
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (status: number, body: string, headers = {}) => {
        const send = () => {
          response.writeHead(status, { 'content-type': 'application/json', ...headers })
          response.end(body)
        }
        if (latencyMs > 0) setTimeout(send, latencyMs)
        else send()
      }
      const seconds = (now - stub.firstAt) / 1000
      const passed = burst === undefined ? Math.floor(seconds) : seconds
      if (perSecond !== undefined) used = Math.max(0, used - perSecond * (passed - countedAt))
      countedAt = passed
      if (perSecond !== undefined && used + 1 > (burst ?? perSecond)) {
        stub.refusedAt.push(now - stub.firstAt)
        return answer(429, '{}', retryAfter ? { 'retry-after': '1' } : {})
      }
      used++
      if (request.method === 'POST') {
        const user = JSON.parse(Buffer.concat(chunks).toString())
        return answer(200, JSON.stringify({ user: { id: user.user_id, ...user } }))
      }
      if (request.url?.includes('/rooms?')) return answer(200, '{"rooms":[]}')
      answer(404, '{"error":{"code":"not_found","message":"no such user"}}')
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const stub: Stub = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    ...{ requests: 0, refusedAt: [], firstAt: 0 },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return stub
}

interface ImportMeasurement {
  ms: number
  /** CPU time of the client, in milliseconds. */
  cpuMs: number
  stub: Stub
}

async function importUsers(
  program: string,
  file: string,
  limits: Limits,
  more: string[],
): Promise<ImportMeasurement> {
  const stub = await startStub(limits)
  const timed = join(dir, 'cpu.mjs')
  const env = {
    ...process.env,
    HOME: dir,
    XDG_CACHE_HOME: join(dir, 'cache'),
    MEETROOM_CONFIG_DIR: join(dir, 'config'),
    MEETROOM_BASE_URL: stub.baseUrl,
    MEETROOM_API_KEY: 'key',
  }
  const began = performance.now()
  const argv = ['--import', timed, program, 'users', 'import', file, '--no-journal', '-q', ...more]
  const child: ChildProcess = spawn(process.execPath, argv, { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const code = await new Promise((ended) => child.once('close', ended))
  const ms = performance.now() - began
  stub.close()
  if (code !== 0) throw new Error(`${more.join(' ')} ended with ${code}: ${stderr.slice(0, 1000)}`)
  return { ms, cpuMs: Number(/cpu (\d+)/.exec(stderr)?.[1]), stub }
}

function writeUsers(rows: number): string {
  const file = join(dir, `users-${rows}.csv`)
  const lines = Array.from({ length: rows }, (_, i) => `u${i},Person ${i},u${i}@example.com`)
  writeFileSync(file, `user_id,name,email\n${lines.join('\n')}\n`)
  return file
}

writeFileSync(
  join(dir, 'cpu.mjs'),
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); process.stderr.write('cpu ' + Math.round((user + system) / 1000)) })",
)

const ways: [name: string, program: string, flags: string[]][] = [
  ['default', flags.program, []],
  ['--if-exists overwrite', flags.program, ['--if-exists', 'overwrite']],
  ...(flags.other ? [['other program', flags.other, []] as [string, string, string[]]] : []),
  ...numbers(flags.fixed)
    .filter(Boolean)
    .map((n): [string, string, string[]] => [`--concurrency ${n}`, flags.program, ['--concurrency', `${n}`]]),
]

const file = writeUsers(Number(flags.rows))
// Fills the code cache.
for (const [, program] of ways) await importUsers(program, writeUsers(10), {}, [])
for (const latencyMs of Number(flags.rounds) > 0 ? numbers(flags.latency) : []) {
  const runs = await alternate(
    Number(flags.rounds),
    Object.fromEntries(
      ways.map(([name, program, more]) => [name, () => importUsers(program, file, { latencyMs }, more)]),
    ),
  )
  for (const [name] of ways.slice(1)) {
    const of = (side: string, field: 'ms' | 'cpuMs') => (runs[side] ?? []).map((ran) => ran[field])
    for (const [field, title] of [
      ['ms', 'time'],
      ['cpuMs', 'CPU'],
    ] as const)
      printRatio(
        `${flags.rows} rows, ${latencyMs} ms latency, default: ${title}`,
        name,
        ratiosOf(of('default', field), of(name, field)),
        `${spread(of('default', field), 0)} ms`,
        `${name} ${spread(of(name, field), 0)} ms`,
      )
  }
}

const limited = Number(flags.limited)
const perSecond = Number(flags.rate)

async function importLimited(program: string, file: string, limits: Omit<Limits, 'perSecond'>) {
  const { ms, stub } = await importUsers(program, file, { perSecond, ...limits }, [])
  const late = stub.refusedAt.filter((at) => at >= 1000).length
  const sent = stub.requests - (stub.refusedAt.length - late)
  // Each row causes two requests. The requests of the first second or burst are not delayed.
  const ideal = (2 * limited - (limits.burst ?? perSecond)) / perSecond
  return { seconds: ms / 1000, ratio: ms / 1000 / ideal, late: (100 * late) / sent }
}

if (limited > 0) {
  const few = writeUsers(limited)
  const cases = [{ retryAfter: true }, { retryAfter: false }, { retryAfter: true, burst: 5 }].flatMap(
    (limits) =>
      ways.filter(([name]) => !name.startsWith('--')).map(([name, program]) => ({ name, program, limits })),
  )
  // The cases of a round run concurrently, because they mostly wait.
  const rounds: Awaited<ReturnType<typeof importLimited>>[][] = []
  for (let round = 0; round < Number(flags['limited-rounds']); round++)
    rounds.push(await Promise.all(cases.map(({ program, limits }) => importLimited(program, few, limits))))
  for (const [i, { name, limits }] of cases.entries()) {
    const { retryAfter, burst } = limits
    const of = (field: 'seconds' | 'ratio' | 'late') => rounds.map((round) => round[i]?.[field] ?? Number.NaN)
    printRatio(
      `${name}, ${limited} rows, ${perSecond}/s${burst ? ` in bursts of ${burst}` : ''}, ${retryAfter ? 'with' : 'without'} Retry-After: time`,
      'shortest possible time',
      of('ratio'),
      `${spread(of('seconds'), 1)} s`,
      `refused after the first second ${spread(of('late'), 1)} %`,
    )
  }
}
rmSync(dir, { recursive: true, force: true })
