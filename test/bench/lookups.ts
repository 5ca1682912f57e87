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
import { alternate, median, printRatio, type Ran, ratiosOf, run, spread } from './measured.ts'
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
const env = {
  ...process.env,
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

for (const { name, most, sides } of comparisons) {
  const [first, second] = sides
  const importing = (count: number) => ({
    first: () => importUsers(first, count),
    second: () => importUsers(second, count),
  })
  // Stores the code cache.
  await alternate(2, importing(10))
  const runs = await alternate(pairs, importing(rows))
  const of = (side: 'first' | 'second', field: 'ms' | 'cpuMs') => runs[side].map((ran: Ran) => ran[field])
  const ratios = (field: 'ms' | 'cpuMs') => ratiosOf(of('first', field), of('second', field))
  const isMissed = median(ratios('cpuMs')) > most
  const title = `${rows} ${name}, ${first.name}`
  printRatio(
    `${title}: CPU`,
    second.name,
    ratios('cpuMs'),
    `${spread(of('first', 'cpuMs'), 0)} ms`,
    `at most ${most}${isMissed ? '  MISSED' : ''}`,
  )
  printRatio(`${title}: time`, second.name, ratios('ms'), `${spread(of('first', 'ms'), 0)} ms`)
  if (isMissed) process.exitCode = 1
}
stub.kill()
rmSync(dir, { recursive: true, force: true })
