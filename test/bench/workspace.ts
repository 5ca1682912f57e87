// Compares `workspace diff` with `members export --all-rooms`, and measures `workspace apply`.
// Run with: npm run bench:workspace [-- --rooms 1000 --users 5000 --members 30 --pairs 5]
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { alternate, printRatio, printValue, ratiosOf, run } from './measured.ts'
import { launcher, startService } from './served.ts'

const { values: flags } = parseArgs({
  options: {
    rooms: { type: 'string', default: '1000' },
    users: { type: 'string', default: '5000' },
    members: { type: 'string', default: '30' },
    pairs: { type: 'string', default: '5' },
  },
})
const [rooms, users, members, pairs] = [flags.rooms, flags.users, flags.members, flags.pairs].map(Number) as [
  number,
  number,
  number,
  number,
]

const dir = mkdtempSync(join(tmpdir(), 'meetroom-workspace-'))
const served = await startService(undefined, ['--ephemeral'])
process.once('exit', () => served.child.kill('SIGKILL'))
const env = {
  ...process.env,
  HOME: dir,
  XDG_CACHE_HOME: join(dir, 'cache'),
  MEETROOM_CONFIG_DIR: join(dir, 'config'),
  MEETROOM_BASE_URL: served.baseUrl,
  MEETROOM_API_KEY: served.apiKey,
}
const command = (...words: string[]) => [process.execPath, launcher, ...words]

function must(...words: string[]): string {
  const [program = '', ...argv] = command(...words)
  const ran = spawnSync(program, argv, { env, cwd: dir, encoding: 'utf8' })
  if (ran.status !== 0)
    throw new Error(`${words.join(' ')} ended with ${ran.status}: ${ran.stderr.slice(-2000)}`)
  return ran.stderr
}

const name = (i: number) => `p${String(i).padStart(5, '0')}`
const rows = Array.from({ length: rooms * members }, (_, i) => {
  const room = Math.floor(i / members)
  const person = (room * 7 + (i % members)) % users
  return `${name(person)},Person ${person},Class ${room},${i % members === 0 ? 'host' : 'guest'}`
})
const rest = Array.from({ length: users }, (_, i) => `${name(i)},Person ${i},,`)
const writeRoster = (lines: readonly string[]) =>
  writeFileSync(join(dir, 'roster.csv'), `id,name,class,role\n${lines.join('\n')}\n`)
const roster = ['--rooms-from', 'class', '--users-from', 'id,name', '--role-from', 'role']

writeRoster([...rows, ...rest])
const began = performance.now()
must('workspace', 'apply', join(dir, 'roster.csv'), ...roster, '--yes', '--max', '1000000', '-q', '-o', 'ids')
printValue('first apply', [(performance.now() - began) / 1000], 's', 1)
for (const file of ['w.yaml', 'w.json']) must('workspace', 'export', '--out', join(dir, file), '-q')

const sides = await alternate(pairs, {
  export: () => run(command('members', 'export', '--all-rooms', '-q'), env),
  yaml: () => run(command('workspace', 'diff', join(dir, 'w.yaml'), '-q'), env),
  json: () => run(command('workspace', 'diff', join(dir, 'w.json'), '-q'), env),
  roster: () => run(command('workspace', 'diff', join(dir, 'roster.csv'), ...roster, '-q'), env),
})
const msOf = (side: keyof typeof sides) => sides[side].map(({ ms }) => ms)
printValue(
  'members export --all-rooms',
  msOf('export').map((ms) => ms / 1000),
  's',
  2,
)
for (const side of ['yaml', 'json', 'roster'] as const) {
  printRatio(`diff of ${side}`, 'members export (at most 1.3)', ratiosOf(msOf(side), msOf('export')))
  printRatio(
    `diff of ${side}, CPU`,
    'members export',
    ratiosOf(
      sides[side].map(({ cpuMs }) => cpuMs),
      sides.export.map(({ cpuMs }) => cpuMs),
    ),
  )
  printValue(
    `diff of ${side}, memory (at most 250)`,
    sides[side].map(({ peakMb }) => peakMb),
    'MB',
  )
}

// With the default flags, 25 changes: ten roles, ten new members, five removed members.
const changed = rows
  .map((row, i) => (i % 3000 === 1 ? row.replace(/guest$/, 'monitor') : row))
  .filter((_, i) => !(i % 6000 === 2))
const added = Array.from(
  { length: 10 },
  (_, i) => `${name((i * 7 + members) % users)},Person ${(i * 7 + members) % users},Class ${i},guest`,
)
writeRoster([...changed, ...added, ...rest])
const before = performance.now()
const said = must(
  'workspace',
  'apply',
  join(dir, 'roster.csv'),
  ...roster,
  '--prune=members',
  '--yes',
  '--max',
  '100',
  '-o',
  'ids',
)
printValue(
  'apply of 25 changes',
  [(performance.now() - before) / 1000],
  's',
  1,
  said.trim().split('\n').at(-1) ?? '',
)
await served.stop()
rmSync(dir, { recursive: true })
