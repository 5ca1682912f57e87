import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pipeTo, runShell } from '../helpers/built.ts'
import { everything } from '../helpers/everything.ts'
import { runHere } from '../helpers/run-here.ts'
import { homes } from '../helpers/serving.ts'
import { leaves } from '../helpers/tree.ts'
import { counted, full, notice, share, sized } from './size.ts'

const count = counted('process (streams)')

interface Line {
  /** Shell command line without `meetroom`. May contain `{room}` and `{member}`. */
  line: string
  code?: number
  /** True if the command prints nothing on standard output. */
  silent?: boolean
}

const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(' ')
const local = (line: string, rest: Omit<Line, 'line'> = {}): Line => ({ line: `--local ${line}`, ...rest })

/** Command lines with their expected ends, by command. */
const lines: Record<string, Line> = {
  ...Object.fromEntries(
    Object.values(everything).map((words) => [words.slice(0, 2).join(' '), local(quoted(words))]),
  ),
  'rooms list': local('rooms list'),
  'audit list': { line: 'audit list key', silent: true },
  'users list': local('users list'),
  'sessions list': local('sessions list {room}', { silent: true }),
  'pages list': local('pages list {room}', { silent: true }),
  'sessions report': local('sessions report {room}', { silent: true }),
  'rooms wait': local('rooms wait {room} --for empty'),
  'sessions watch': local('sessions watch {room}', { code: 2, silent: true }),
  'rooms terminate': local('rooms terminate {room} --yes'),
  'rooms reopen': local('rooms reopen {room} --yes'),
  'rooms import': local('rooms import rooms.csv', { silent: true }),
  'rooms export': local('rooms export'),
  'members block': local('members block {room} {member} --yes'),
  'members unblock': local('members unblock {room} {member}'),
  'members import': local('members import members.csv --room {room}', { silent: true }),
  'members export': local('members export {room}'),
  'users import': local('users import users.csv', { silent: true }),
  'users export': local('users export'),
  'users rooms': local('users rooms ada'),
  'users hand-over': local('users hand-over ada grace --yes'),
  'users merge': local('users merge ada grace --yes'),
  'users duplicates': local('users duplicates', { silent: true }),
  'workspace export': local('workspace export'),
  'workspace diff': local('workspace diff workspace.yaml', { code: 9 }),
  'workspace apply': local('workspace apply workspace.yaml --yes'),
  'workspace adopt': local('workspace adopt workspace.yaml', { silent: true }),
  'members links': local('members links --all-rooms', { code: 2, silent: true }),
  'rooms link': local('rooms link --where type=open', { code: 2, silent: true }),
  'rooms open': local('rooms open {room}', { code: 2, silent: true }),
  usage: local('usage'),
  'users offboard': local('users offboard ada --yes'),
  join: local('join {room}', { code: 2, silent: true }),
  api: local('api GET /rooms'),
  openapi: { line: 'openapi' },
  'auth login': {
    line: 'auth login --with-token --base-url http://127.0.0.1:9/v1 < key',
    code: 5,
    silent: true,
  },
  'auth logout': { line: 'auth logout --profile staging', silent: true },
  'auth status': { line: 'auth status --profile staging', code: 4 },
  'profiles list': { line: 'profiles list' },
  'profiles use': { line: 'profiles use staging', silent: true },
  'profiles protect': { line: 'profiles protect staging', silent: true },
  'profiles unprotect': { line: 'profiles unprotect staging', silent: true },
  'profiles remove': { line: 'profiles remove staging --yes', silent: true },
  'config list': { line: 'config list' },
  'config get': { line: 'config get timeout' },
  'config set': { line: 'config set timeout 5', silent: true },
  'config unset': { line: 'config unset timeout', silent: true },
  'config path': { line: 'config path' },
  'local backup': { line: 'local backup copy.db' },
  'local restore': { line: 'local restore backup.db --yes' },
  'local reset': { line: 'local reset --yes' },
  'local tidy': { line: 'local tidy --yes' },
  'local clock': { line: 'local clock freeze --control key', code: 2, silent: true },
  'local fail': { line: 'local fail any --status 503 --control key', code: 2, silent: true },
  'local seed': { line: 'local seed body.json --control key', code: 2, silent: true },
  'webhooks verify': { line: 'webhooks verify body.json --headers headers.txt' },
  'webhooks trigger': {
    line: 'webhooks trigger sessionJoined --to http://127.0.0.1:9/',
    code: 5,
    silent: true,
  },
  'webhooks deliveries': local('webhooks deliveries', { silent: true }),
  'webhooks redeliver': local('webhooks redeliver msg_1', { code: 3, silent: true }),
  version: { line: 'version' },
  commands: { line: 'commands' },
  schema: { line: 'schema error' },
  completion: { line: 'completion bash' },
  doctor: local('doctor'),
  help: { line: 'help rooms list' },
  'cache warm': { line: 'cache warm', silent: true },
}

const staying = ['serve', 'webhooks listen']

const event = {
  action: 'sessionJoined',
  payload: {
    ...{ roomId: 'r1', userId: 'ada', memberId: 'm1', sessionId: 's1' },
    ...{ sessionsCount: 1, membersCount: 1, timestamp: '2026-01-02T03:04:05.678Z' },
  },
}

/** Workspace, settings and files that `redirected` copies. */
const template = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
let room = ''
let member = ''
beforeAll(async () => {
  const files = {
    'config/config.json': JSON.stringify({ profiles: { staging: { base_url: 'http://127.0.0.1:9/v1' } } }),
    'rooms.csv': 'name,type\nR1,open\n',
    'workspace.yaml': 'users: [{ user_id: u1 }]\n',
    'users.csv': 'user_id\nu1\n',
    'members.csv': 'user_id\ngrace\n',
    key: 'key-0123456789',
    'body.json': JSON.stringify(event),
    'headers.txt': '',
  }
  mkdirSync(join(template, 'config'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(template, name), text, { mode: 0o600 })
  const env = { HOME: template, MEETROOM_DATA_DIR: join(template, 'data') }
  const made = async (line: string) =>
    (await runHere(['--local', ...line.split(' '), '-o', 'ids'], { env })).stdout.trim()
  await made('users create ada')
  await made('users create grace')
  room = await made('rooms create --name Room --type private')
  member = await made(`members add ${room} ada`)
  await runHere(['local', 'backup', join(template, 'backup.db')], { env })
}, 60_000)
afterAll(() => rmSync(template, { recursive: true }))

async function redirected({ line }: Line, redirection: string) {
  const { HOME, ...env } = homes()
  for (const name of [
    'config',
    'data',
    'key',
    'rooms.csv',
    'workspace.yaml',
    'users.csv',
    'members.csv',
    'body.json',
    'headers.txt',
    'backup.db',
  ])
    cpSync(join(template, name), join(HOME, name), { recursive: true })
  const filled = line.replaceAll('{room}', room).replaceAll('{member}', member)
  count.add('commands')
  return runShell(`meetroom ${filled} ${redirection}`, { HOME, ...env }, { cwd: HOME })
}

const stack = /^\s+at |node:internal/m
const hasFull = existsSync('/dev/full')
if (!hasFull) notice('process', 'full streams: there is no /dev/full')

const streams = [
  {
    redirection: '>&-',
    // Node replaces a closed stream with the null device, so that the output is discarded without an error.
    ending: ({ code = 0 }: Line) => ({ code, stdout: '' }),
  },
  {
    redirection: '> /dev/full',
    ending: ({ code = 0, silent }: Line) =>
      silent
        ? { code, stdout: '' }
        : {
            code: 74,
            stdout: '',
            stderr: expect.stringMatching(
              /output (cannot|could not) be written: no space left on the disk\n/,
            ),
          },
  },
  {
    redirection: '2>&-',
    ending: ({ code = 0, silent }: Line) => ({ code, stdout: silent ? '' : expect.stringMatching(/./) }),
  },
  {
    redirection: '2> /dev/full',
    ending: ({ code = 0, silent }: Line) => ({ code, stdout: silent ? '' : expect.stringMatching(/./) }),
  },
  { redirection: '<&- >&- 2>&-', ending: ({ code = 0 }: Line) => ({ code, stdout: '', stderr: '' }) },
  {
    redirection: '> /dev/full 2> /dev/full',
    ending: ({ code = 0, silent }: Line) => ({ code: silent ? code : 74, stdout: '', stderr: '' }),
  },
]

test('the streams suite covers every command except __complete', async () => {
  // Shells run `__complete` and discard its errors.
  const all = (await leaves()).map(({ words }) => words.join(' ')).filter((name) => name !== '__complete')
  expect([...Object.keys(lines), ...staying].sort()).toEqual(all.sort())
})

/** Every command with every fault; in a quick run, every twelfth command with one fault. */
const cases = Object.values(lines).flatMap((line, nth) =>
  streams
    .filter((_, i) => full || (nth % 12 === 0 && i === (nth / 12) % streams.length))
    .map(({ redirection, ending }) => [line.line, redirection, line, ending] as const),
)

describe.runIf(hasFull)('a command with broken standard streams', () => {
  test.each(cases)(
    '“meetroom %s %s” exits with the expected code and without a stack trace',
    async (_line, redirection, line, ending) => {
      // A closed standard input contains no key.
      const known = redirection.startsWith('<') && line.line.includes('<') ? { ...line, code: 2 } : line
      const ended = await redirected(known, redirection)
      expect(ended).toMatchObject(ending(known))
      expect(ended.stderr).not.toMatch(stack)
    },
  )
})

describe.runIf(hasFull)('a long-running command that cannot print its base URL', () => {
  test.each(['serve --port 0', 'webhooks listen --port 0 --json'])(
    '“meetroom %s > /dev/full” exits 74',
    async (line) => {
      const ended = await redirected({ line }, '> /dev/full')
      expect(ended).toMatchObject({ code: 74, stderr: expect.stringContaining('no space left') })
      expect(ended.stderr).not.toMatch(stack)
    },
  )
})

describe('users list in a pipe', () => {
  const people = sized(300, 30_000)
  const home = mkdtempSync(join(tmpdir(), 'meetroom-test-'))
  const env = { HOME: home, MEETROOM_DATA_DIR: join(home, 'data') }
  beforeAll(async () => {
    const rows = Array.from({ length: people }, (_, i) => `u${i},${'x'.repeat(200)}\n`)
    writeFileSync(join(home, 'many.csv'), `user_id,name\n${rows.join('')}`)
    const argv = ['--local', 'users', 'import', join(home, 'many.csv'), '--no-journal']
    expect(await runHere(argv, { env })).toMatchObject({ code: 0 })
  }, 600_000)
  afterAll(() => rmSync(home, { recursive: true }))

  test.each(share(['table', 'json', 'ndjson', 'csv', 'ids'], 0, 3))(
    'users list --all -o %s exits 0 after the reader closes the pipe',
    { timeout: 120_000 },
    async (format) => {
      const line = pipeTo(`meetroom --local users list --all --page-size 20 -o ${format}`, 'head -c 10 >&2')
      const { stdout, stderr } = await runShell(line, env)
      expect({ stdout, characters: stderr.length }).toEqual({ stdout: '0\n', characters: 10 })
      count.add('readers that go away')
    },
  )

  test('users list --all prints every user to a slow reader of the pipe', {
    timeout: 600_000,
  }, async () => {
    const slow =
      'node -e "process.stdin.on(\'data\', (chunk) => { process.stdout.write(chunk); process.stdin.pause(); setTimeout(() => process.stdin.resume(), 5) })"'
    const line = `${pipeTo('meetroom --local users list --all -o ndjson', `${slow} > out`)}; wc -l < out; wc -c < out`
    const { stdout, stderr } = await runShell(line, env, { cwd: home, patienceMs: 300_000 })
    const [code, printed, bytes] = stdout.trim().split(/\s+/).map(Number)
    expect({ stderr, code, printed }).toEqual({ stderr: '', code: 0, printed: people })
    expect(bytes).toBeGreaterThan(sized(90_000, 10_000_000))
    count.add('bytes read slowly', bytes)
  })
})
