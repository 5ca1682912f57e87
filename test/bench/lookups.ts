// CPU time of the lookups in `users import`. The default import of new users sends a lookup that ends in 404 and a create for
// each row, the overwriting import only the create. Dry runs send only the lookups: of users that are missing with 404, and
// with 400 as in the embedded service, beside existing ones. Both sides of a pair run alternately, as whole processes with
// as many rows, on a stub in a process of its own.
// Run with: npm run bench:lookups [-- --rows 20000 --pairs 7 --program bin/meetroom.js]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Ran, run } from './measured.ts'
import { firstLine, launcher } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    pairs: { type: 'string', default: '7' },
    program: { type: 'string', default: launcher },
  },
})
const rows = Number(flags.rows)
const pairs = Number(flags.pairs)
const dir = mkdtempSync(join(tmpdir(), 'meetroom-lookups-'))

const stub = spawn(process.execPath, [new URL('user-stub.mjs', import.meta.url).pathname], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
process.once('exit', () => stub.kill('SIGKILL'))
const { NODE_EXTRA_CA_CERTS: _, ...bare } = process.env
const env = {
  ...bare,
  HOME: dir,
  XDG_CACHE_HOME: join(dir, 'cache'),
  MEETROOM_CONFIG_DIR: join(dir, 'config'),
  MEETROOM_BASE_URL: `http://127.0.0.1:${await firstLine(stub)}/v1`,
  MEETROOM_API_KEY: 'bench-key-0123456789abcdefghijklmnop',
}

/** Beginning of the IDs of users: not found with 404, not found with 400, existing. */
type Who = 'new' | 'bad' | 'old'

function writeUsers(who: Who, count: number): string {
  const path = join(dir, `${who}-${count}.csv`)
  const lines = Array.from({ length: count }, (_, i) => `${who}${i},Person ${i},${who}${i}@example.com`)
  writeFileSync(path, `user_id,name,email\n${lines.join('\n')}\n`)
  return path
}

interface Comparison {
  name: string
  /** Maximum ratio of the CPU times. */
  most: number
  sides: readonly [Side, Side]
}

interface Side {
  name: string
  who: Who
  flags: readonly string[]
}

const comparisons: readonly Comparison[] = [
  {
    name: 'imports of new users',
    most: 2.1,
    sides: [
      { name: 'default', who: 'new', flags: [] },
      { name: '--if-exists overwrite', who: 'new', flags: ['--if-exists', 'overwrite'] },
    ],
  },
  {
    name: 'lookups alone, missing with 400',
    most: 1.1,
    sides: [
      { name: 'missing users', who: 'bad', flags: ['--if-exists', 'skip', '--dry-run'] },
      { name: 'existing users', who: 'old', flags: ['--if-exists', 'skip', '--dry-run'] },
    ],
  },
  {
    name: 'lookups alone, missing with 404',
    most: 1.1,
    sides: [
      { name: 'missing users', who: 'new', flags: ['--if-exists', 'skip', '--dry-run'] },
      { name: 'existing users', who: 'old', flags: ['--if-exists', 'skip', '--dry-run'] },
    ],
  },
]

const importUsers = ({ who, flags: more }: Side, count: number): Promise<Ran> =>
  run(
    [
      process.execPath,
      flags.program,
      'users',
      'import',
      writeUsers(who, count),
      '--no-journal',
      '-q',
      ...more,
    ],
    env,
  )

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
const spread = (values: readonly number[], digits = 2) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`

for (const { name, most, sides } of comparisons) {
  // Stores the code cache.
  for (const side of [...sides, ...sides]) await importUsers(side, 10)
  const runs: [Ran[], Ran[]] = [[], []]
  for (let pair = 0; pair < pairs; pair++) {
    const order = pair % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    for (const i of order) runs[i].push(await importUsers(sides[i], rows))
  }
  console.log(`${name}: ${rows} rows, ${pairs} pairs, node ${process.version}`)
  for (const [i, side] of sides.entries()) {
    const of = (field: 'ms' | 'cpuMs') => (runs[i] ?? []).map((ran) => ran[field])
    console.log(`  ${side.name}: CPU ${spread(of('cpuMs'), 0)} ms, wall ${spread(of('ms'), 0)} ms`)
  }
  const ratios = (field: 'ms' | 'cpuMs') =>
    runs[0].map((ran, pair) => ran[field] / (runs[1][pair]?.[field] ?? Number.NaN))
  const isMissed = median(ratios('cpuMs')) > most
  console.log(
    `  ratio: CPU ${spread(ratios('cpuMs'))}, at most ${most}${isMissed ? '  MISSED' : ''}; wall ${spread(ratios('ms'))}`,
  )
  if (isMissed) process.exitCode = 1
}
stub.kill()
rmSync(dir, { recursive: true, force: true })
