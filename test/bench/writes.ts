// Compares durable POST requests to `meetroom serve` and to a bare program (bare-writes.ts).
// Run with: npm run bench:writes [-- PAIRS [CONNECTIONS…]]
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getDatabasePath } from '../../src/embedded/database-path.ts'
import { openWorkspace } from '../../src/embedded/workspace.ts'
import { cannon, type Round } from './cannon.ts'
import { alternate, median, printRatio, ratiosOf, spread } from './measured.ts'
import { firstLine, startService } from './served.ts'

const [pairs = 5, ...levels] = process.argv.slice(2).map(Number)
const allConnections = levels.length > 0 ? levels : [1, 16, 64, 256]
/** Number of rooms in the workspace before each round. */
const rows = 100_000
const requests = (connections: number) => Math.min(9600, Math.max(300, connections * 150))

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
    }
    // Lets V8 compile the code before the measurement.
    await cannon(program.pid, 3200, { ...options, connections: 64 })
    return await cannon(program.pid, requests(connections), { ...options, connections })
  } finally {
    await program.stop()
  }
}

const filled = await fill()
for (const connections of allConnections) {
  const rounds = await alternate(pairs, {
    ours: () => measure(startOurs, connections),
    bare: () => measure(startBare, connections),
  })
  const of = (side: 'ours' | 'bare', field: keyof Round) => rounds[side].map((round) => round[field])
  const ratios = (field: keyof Round) => ratiosOf(of('ours', field), of('bare', field))
  printRatio(
    `durable POST, ${connections} connections, rate`,
    'bare program',
    ratios('perSecond'),
    `${spread(of('ours', 'perSecond'), 0)}/s`,
    `bare ${spread(of('bare', 'perSecond'), 0)}/s`,
    `p99 ${median(of('ours', 'p99Ms'))} ms, bare ${median(of('bare', 'p99Ms'))} ms`,
  )
  printRatio(
    `durable POST, ${connections} connections, CPU`,
    'bare program',
    ratios('cpu'),
    `${spread(of('ours', 'cpu'), 0)} µs a request`,
  )
}
rmSync(filled, { recursive: true, force: true })
