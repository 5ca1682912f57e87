// Durable POSTs a second of `meetroom serve` at several numbers of connections, beside a bare program with the same
// table, indexes and rows (bare-writes.ts). Both run alternately, each pair on fresh copies of one workspace.
// Run with: npm run bench:writes [-- PAIRS [CONNECTIONS…]]
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { getDatabasePath } from '../../src/embedded/database-path.ts'
import { blockRows, countBlocks } from '../../src/embedded/store/counts.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { firstLine, startService } from './served.ts'

const [pairs = 11, ...levels] = process.argv.slice(2).map(Number)
const allConnections = levels.length > 0 ? levels : [1, 16, 64, 256]
/** Rooms in the workspace before each round. */
const rows = 100_000
const requests = (connections: number) => Math.min(9600, Math.max(300, connections * 150))

interface Round {
  perSecond: number
  /** CPU time of the service per request, in microseconds. */
  cpu: number
  p99Ms: number
}

interface Program {
  pid: number
  url: string
  headers: Record<string, string>
  stop(): Promise<void>
}

async function fill(): Promise<string> {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-bench-'))
  const host = { now: () => Date.now(), quietly: <T>(load: () => Promise<T>) => load() }
  const { store, close } = await openWorkspace({ dir, host })
  const step = 10_000
  for (let i = 1; i <= rows; i += step)
    await store.write(() =>
      store.run(
        `WITH RECURSIVE n (i) AS (SELECT ? UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO rooms (id, type, name, layout, record, created_at, updated_at)
         SELECT printf('%024x', i), 'open', 'Room ' || i, 'default', 0, i, i FROM n`,
        i,
        i + step - 1,
      ),
    )
  await store.write(() => countBlocks(store, 'rooms', rows - (rows % blockRows)))
  close()
  return dir
}

async function startOurs(dir: string): Promise<Program> {
  const { pid, baseUrl, apiKey, stop } = await startService(dir)
  return { pid, url: `${baseUrl}/rooms`, headers: { authorization: `Bearer ${apiKey}` }, stop }
}

async function startBare(dir: string): Promise<Program> {
  const program = new URL('bare-writes.mjs', import.meta.url).pathname
  const child = spawn(process.execPath, [program, getDatabasePath(dir)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const port = await firstLine(child)
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}/`,
    headers: {},
    async stop() {
      const ended = new Promise((done) => child.once('close', done))
      child.kill()
      await ended
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** CPU time of a process in microseconds. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

async function measure(start: (dir: string) => Promise<Program>, connections: number): Promise<Round> {
  const dir = mkdtempSync(join(tmpdir(), 'meetroom-bench-'))
  cpSync(filled, dir, { recursive: true })
  const program = await start(dir)
  try {
    const options = {
      url: program.url,
      method: 'POST' as const,
      headers: { ...program.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Load', type: 'open' }),
      connections,
      sampleInt: 50,
    }
    // Lets V8 compile the code.
    await autocannon({ ...options, connections: 64, amount: 3200 })
    const amount = requests(connections)
    const cpu = cpuOf(program.pid)
    const began = performance.now()
    // The result itself comes at the end of a sample.
    let ended = began
    const result = await new Promise<autocannon.Result>((done, failed) => {
      const cannon = autocannon({ ...options, amount }, (error, result) =>
        error ? failed(error) : done(result),
      )
      cannon.on('response', () => {
        ended = performance.now()
      })
    })
    const seconds = (ended - began) / 1000
    const { errors, timeouts, non2xx } = result
    if (errors + non2xx > 0)
      throw new Error(`${errors} requests failed, ${timeouts} of them by timeout; ${non2xx} were refused`)
    return {
      perSecond: amount / seconds,
      cpu: (cpuOf(program.pid) - cpu) / amount,
      p99Ms: result.latency.p99,
    }
  } finally {
    await program.stop()
  }
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
const median = (values: readonly number[]) => sorted(values)[values.length >> 1] ?? NaN

/** Formats the median and the range of the middle half. */
function spread(values: readonly number[], digits = 2): string {
  const at = (part: number) => sorted(values)[Math.floor((values.length - 1) * part)]?.toFixed(digits)
  return `${median(values).toFixed(digits)} (${at(0)}–${at(1)}, middle half ${at(0.25)}–${at(0.75)})`
}

const filled = await fill()
for (const connections of allConnections) {
  const ours: Round[] = []
  const bare: Round[] = []
  for (let i = 0; i < pairs; i++) {
    // The first of a pair finds a colder disk cache.
    const both = [
      async () => ours.push(await measure(startOurs, connections)),
      async () => bare.push(await measure(startBare, connections)),
    ]
    for (const run of i % 2 === 0 ? both : both.toReversed()) await run()
  }
  const of = (rounds: readonly Round[], field: keyof Round) => median(rounds.map((round) => round[field]))
  const ratios = (field: keyof Round) => ours.map((round, i) => round[field] / (bare[i]?.[field] ?? NaN))
  console.log(
    `${connections} connections: ${of(ours, 'perSecond').toFixed(0)}/s, bare ${of(bare, 'perSecond').toFixed(0)}/s; ` +
      `p99 ${of(ours, 'p99Ms')} ms, bare ${of(bare, 'p99Ms')} ms; CPU ${of(ours, 'cpu').toFixed(0)} µs, bare ${of(bare, 'cpu').toFixed(0)} µs`,
  )
  console.log(`  ratio of rates ${spread(ratios('perSecond'))}; of CPU ${spread(ratios('cpu'))}`)
}
rmSync(filled, { recursive: true, force: true })
