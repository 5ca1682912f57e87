// Measures commands relative to `node -e 0`.
// Run with: npm run bench:startup [-- PAIRS]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { alternate, median, printRatio, printValue, ratiosOf, spread } from './measured.ts'
import { launcher, send, startService } from './served.ts'

const pairs = Number(process.argv[2] ?? 25)
const home = mkdtempSync(join(tmpdir(), 'meetroom-startup-'))
const served = await startService()
const rooms: any[] = []
for (let i = 0; i < 20; i++)
  rooms.push(await send(served, 'POST', '/rooms', { name: `Room ${i}`, type: 'open' }))

const base = {
  ...process.env,
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
  /** Maximum ratio to `node -e 0`. */
  most?: number
}
const node = process.execPath
// Newer versions of Node start more slowly, so the ratio is smaller.
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
// Caches of failed and short commands must not affect the measurement.
for (const line of ['rooms lst', 'rooms get none', '--help', 'rooms list --curl', 'rooms list --json --curl'])
  spawnSync(node, [launcher, ...line.split(' ')], { env: base })
// Fills the code cache; one run of a command may not be enough.
for (const row of [...rows, ...rows, ...rows]) run(row)
const times = await alternate(pairs, Object.fromEntries(rows.map((row) => [row.what, () => run(row)])))
const peaks: number[] = []
for (let i = 0; i < Math.min(pairs, 7); i++) {
  const { stderr } = spawnSync('/usr/bin/time', ['-f', '%M', node, launcher, 'rooms', 'list'], {
    env: named,
    encoding: 'utf8',
  })
  peaks.push(Number(stderr?.trim().split('\n').at(-1)) / 1024)
}
await served.stop()
rmSync(home, { recursive: true, force: true })

/** Returns true if the first quartile exceeds `most`, to tolerate noise. */
const isMissed = (ratios: readonly number[], most: number) =>
  (ratios.toSorted((a, b) => a - b)[ratios.length >> 2] ?? 0) > most
const verdict = (ratios: readonly number[], most: number) =>
  `at most ${most.toFixed(1)}${isMissed(ratios, most) ? '  MISSED' : ''}`
const results = rows.map(({ what, most }) => {
  const ms = times[what] ?? []
  const ratios = ratiosOf(ms, times['node -e 0'] ?? [])
  printRatio(what, 'node -e 0', ratios, `${spread(ms, 0)} ms`, ...(most ? [verdict(ratios, most)] : []))
  return { what, ms, ratios, isMissed: most !== undefined && isMissed(ratios, most) }
})
printValue('rooms list, peak memory', peaks, 'MB', 0, 'at most 60')
const version = readFileSync('package.json', 'utf8').match(/"version": "([^"]+)"/)?.[1]
console.log(JSON.stringify({ version, node: process.version, pairs, results, peaks }))
if (results.some((result) => result.isMissed) || median(peaks) > 60) process.exitCode = 1
