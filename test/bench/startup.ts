// Measures whole commands, as ratios to `node -e 0` in the same run, and as a user without a home directory, as ratios to a
// start with a cache of the user. Run with: npm run bench:startup [-- RUNS]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { measureContainers } from './containers.ts'
import { launcher, send, startService } from './served.ts'

const runs = Number(process.argv[2] ?? 25)
const home = mkdtempSync(join(tmpdir(), 'meetroom-startup-'))
const served = await startService()
const rooms: any[] = []
for (let i = 0; i < 20; i++)
  rooms.push(await send(served, 'POST', '/rooms', { name: `Room ${i}`, type: 'open' }))

const { NODE_EXTRA_CA_CERTS: _, ...bare } = process.env
const base = {
  ...bare,
  HOME: home,
  XDG_CACHE_HOME: join(home, 'cache'),
  MEETROOM_CONFIG_DIR: join(home, 'config'),
}
const named = { ...base, MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey }
const local = { ...base, MEETROOM_DATA_DIR: join(home, 'data') }
const undici = join(home, 'undici.mjs')
writeFileSync(
  undici,
  `import { request } from ${JSON.stringify(resolve('node_modules/undici/index.js'))}
  const { body } = await request(${JSON.stringify(`${served.baseUrl}/rooms`)}, { headers: { authorization: 'Bearer ${served.apiKey}' } })
  console.log(await body.text())`,
)
const authorization = `Authorization: Bearer ${served.apiKey}`

interface Row {
  what: string
  command: string[]
  env: NodeJS.ProcessEnv
  /** The most that the ratio to `node -e 0` may be. */
  most?: number
}
const node = process.execPath
// Newer Nodes take longer themselves, so that the same is less to them.
const isNode20 = process.version.startsWith('v20.')
const rows: Row[] = [
  { what: 'node -e 0', command: [node, '-e', '0'], env: base },
  { what: '--version', command: [node, launcher, '--version'], env: base, most: 1.5 },
  { what: '--help', command: [node, launcher, '--help'], env: base, most: 1.6 },
  { what: 'rooms --help', command: [node, launcher, 'rooms', '--help'], env: base, most: 1.6 },
  {
    what: 'rooms list --json',
    command: [node, launcher, 'rooms', 'list', '--json'],
    env: named,
    most: isNode20 ? 2.1 : 1.9,
  },
  { what: 'rooms list, profile', command: [node, launcher, 'rooms', 'list'], env: base, most: 2.6 },
  {
    what: '--local rooms list',
    command: [node, launcher, '--local', 'rooms', 'list'],
    env: local,
    most: 3.5,
  },
  { what: 'bare undici script', command: [node, undici], env: base },
  { what: 'curl', command: ['curl', '-s', '-H', authorization, `${served.baseUrl}/rooms`], env: base },
]

function run({ command, env }: Row, input = ''): number {
  const [program = '', ...argv] = command
  const began = performance.now()
  const { status, stderr } = spawnSync(program, argv, { env, input })
  const took = performance.now() - began
  if (status !== 0) throw new Error(`${command.join(' ')}: ${stderr}`)
  return took
}

run(
  {
    what: '',
    command: [node, launcher, 'auth', 'login', '--base-url', served.baseUrl, '--with-token', '-q'],
    env: base,
  },
  served.apiKey,
)
for (let i = 0; i < 20; i++)
  run({
    what: '',
    command: [node, launcher, '--local', 'rooms', 'create', '--name', `Room ${i}`, '--type', 'open', '-q'],
    env: local,
  })
// What came first must not matter: a typo, an error, help, a command that compiles little.
for (const line of ['rooms lst', 'rooms get none', '--help', 'rooms list --curl', 'rooms list --json --curl'])
  spawnSync(node, [launcher, ...line.split(' ')], { env: base })
// The first run of each leaves the code cache that the others find, the second looks what it lacks.
for (const row of [...rows, ...rows, ...rows]) run(row)
const times = rows.map(() => [] as number[])
for (let i = 0; i < runs; i++) for (const [j, row] of rows.entries()) times[j]?.push(run(row))

const memory = spawnSync('/usr/bin/time', ['-f', '%M', node, launcher, 'rooms', 'list'], {
  env: named,
  encoding: 'utf8',
})
const peakMb = memory.error ? undefined : Math.round(Number(memory.stderr.trim().split('\n').at(-1)) / 1024)
const containers = measureContainers(
  mkdtempSync(join(home, 'containers-')),
  {
    '--version': ['--version'],
    'rooms get': ['rooms', 'get', rooms[0].room.id],
    'rooms list': ['rooms', 'list'],
    'rooms list --json': ['rooms', 'list', '--json'],
    '--local rooms list': ['--local', 'rooms', 'list'],
  },
  { MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey },
  runs,
)
await served.stop()
rmSync(home, { recursive: true, force: true })

const quantile = (values: number[], q: number) =>
  values.toSorted((a, b) => a - b)[Math.floor(q * (values.length - 1))] ?? 0
const results = rows.map(({ what, most }, i) => {
  // Each run is held against the `node -e 0` of its own round: the machine’s speed drifts.
  const ratios = (times[i] ?? []).map((time, round) => time / (times[0]?.[round] ?? 1))
  const ms = quantile(times[i] ?? [], 0.5)
  const [low, median, high] = [0.25, 0.5, 0.75].map((q) => quantile(ratios, q)) as [number, number, number]
  // Missed by more than its noise: even the better quarter of the runs is above the limit.
  return { what, ms, median, low, high, most, missed: most !== undefined && low > most }
})
for (const { what, ms, median, low, high, most, missed } of results)
  console.log(
    `${what.padEnd(20)} ${ms.toFixed(0).padStart(4)} ms  ${median.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)})${most ? `  at most ${most.toFixed(1)} ×${missed ? '  MISSED' : ''}` : ''}`,
  )
/** The most that a start from a warmed cache may take, as a ratio to one from a cache of the user. */
const mostWarmed = 1.1
const warmedStarts = containers.map(({ what, cold, warmed, warm }) => {
  const ratiosOf = (times: number[]) => {
    const ratios = times.map((time, round) => time / (warm[round] ?? 1))
    return [0.25, 0.5, 0.75].map((q) => quantile(ratios, q)) as [number, number, number]
  }
  const found = { what, ms: quantile(warm, 0.5), cold: ratiosOf(cold), warmed: ratiosOf(warmed) }
  return { ...found, missed: found.warmed[0] > mostWarmed }
})
console.log('without a home directory, as ratios to a start with a cache of the user:')
const show = ([low, median, high]: readonly [number, number, number]) =>
  `${median.toFixed(2)} × (${low.toFixed(2)}–${high.toFixed(2)})`
for (const { what, ms, cold, warmed, missed } of warmedStarts)
  console.log(
    `${what.padEnd(20)} ${ms.toFixed(0).padStart(4)} ms  no cache ${show(cold)}  warmed ${show(warmed)}  at most ${mostWarmed} ×${missed ? '  MISSED' : ''}`,
  )
console.log(`rooms list: peak memory ${peakMb ?? '?'} MB, at most 60`)
const version = readFileSync('package.json', 'utf8').match(/"version": "([^"]+)"/)?.[1]
console.log(JSON.stringify({ version, node: process.version, runs, results, warmedStarts, peakMb }))
if ([...results, ...warmedStarts].some(({ missed }) => missed) || (peakMb ?? 0) > 60) process.exitCode = 1
