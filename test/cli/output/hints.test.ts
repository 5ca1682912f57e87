import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { TransportError, type WireResponse } from '../../../src/api/wire.ts'
import { formatHintText } from '../../../src/cli/output/hint-text.ts'
import { visible } from '../../../src/cli/output/terminal/visible.ts'
import { lockWorkspace } from '../../../src/embedded/running-server.ts'
import { suggest } from '../../../src/errors.ts'
import { main } from '../../../src/main.ts'
import { allCalls, byCommand, sendsElsewhere, stays } from '../../helpers/calls.ts'
import { type HostOptions, testHost } from '../../helpers/host.ts'
import { leaves } from '../../helpers/tree.ts'
import { answer, tempDir } from '../../helpers/world.ts'
import { share } from '../../suites/size.ts'

const localOrigin = 'http://127.0.0.1:4999'
const key = 'key-of-a-test-service'
const room = '66f1a2b3c4d5e6f708192a3b'
const member = '66f1a2b3c4d5e6f708192a3c'

interface Target {
  flags: readonly string[]
  env?: Record<string, string>
  origin: string
}

/** Ways to select a service. Another profile is in use when the suggested commands are pasted. */
const targets: Record<string, Target> = {
  'the profile in use': { flags: [], origin: 'https://company.test' },
  '--profile': { flags: ['--profile', 'ci'], origin: 'https://ci.test' },
  '--local': { flags: ['--local'], origin: localOrigin },
  '--base-url': { flags: ['--base-url', 'https://other.test/v1'], origin: 'https://other.test' },
  '--profile and --base-url': {
    flags: ['--profile', 'ci', '--base-url', 'https://ci.test/v1'],
    origin: 'https://ci.test',
  },
  MEETROOM_PROFILE: { flags: [], env: { MEETROOM_PROFILE: 'ci' }, origin: 'https://ci.test' },
  MEETROOM_BASE_URL: {
    flags: [],
    env: { MEETROOM_BASE_URL: 'https://other.test/v1' },
    origin: 'https://other.test',
  },
}

type Script = (method: string, path: string) => WireResponse

const probe = '/v1/rooms?limit=1'
const empty = { rooms: [], users: [], members: [], sessions: [], paging: { limit: 30, offset: 0, total: 0 } }
const twins = [room, member].map((id) => ({ id, name: 'R', type: 'private' }))
const everything = {
  ...{
    rooms: twins,
    room: twins[0],
    users: [{ id: 'u', user_id: 'ada' }],
    user: { id: 'u', user_id: 'ada' },
  },
  ...{ members: [{ id: member, user_id: 'ada' }], member: { id: member, user_id: 'ada' }, sessions: [] },
  paging: { limit: 30, offset: 0, total: 1 },
}
const lost = () => {
  throw new TransportError('the connection was reset', true, false)
}

/** Responses that cause errors or notices. */
const scripts: Record<string, Script> = {
  'responds 404': (_, path) =>
    path === probe ? answer(200, empty) : answer(404, { code: 'not_found', message: 'Not found' }),
  'refuses the key': () => answer(401, {}),
  'loses the responses to writes': (method) => (method === 'GET' ? answer(200, everything) : lost()),
  'loses every response': lost,
  'responds with HTML': () => answer(200, '<html></html>', { 'content-type': 'text/html' }),
  'has no items': (method) => (method === 'GET' ? answer(200, empty) : answer(200, {})),
  'lists every item twice': () => answer(200, everything),
  'fails after some responses': (method, path) =>
    method === 'GET' && !path.includes('offset=1') ? answer(200, everything) : answer(502, 'Bad Gateway'),
}

async function createMachine() {
  const dir = tempDir()
  const data = join(dir, 'data')
  const config = join(dir, 'config')
  /** Writes a file only if its content differs, because writing takes far longer than reading. */
  const file = (name: string, text: string, mode?: number) => {
    const path = join(dir, name)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text, { mode })
  }
  const requested: string[] = []
  let script: Script = lost
  let inUse = 'company'
  mkdirSync(config)
  const owner = await lockWorkspace(data, { quietly: (load) => load() })
  onTestFinished(() => owner.release())
  file('api-key', key)
  owner.publish({ pid: 1, base_url: `${localOrigin}/v1`, api_key_file: join(dir, 'api-key') })

  function reset() {
    const profile = (name: string) => ({
      base_url: `https://${name}.test/v1`,
      api_key: key,
      api_key_origin: `https://${name}.test`,
    })
    const profiles = { company: profile('company'), ci: profile('ci'), spare: profile('spare') }
    file('config/config.json', JSON.stringify({ profile: inUse, profiles }), 0o600)
    file('rooms.csv', 'name,type\nnew,open\n')
    file('users.csv', 'user_id\nnew\nada\n')
    file('members.csv', 'user_id\ngrace\n')
    file('body.json', '{}')
    file('headers.txt', 'content-type: application/json\n')
  }

  async function run(argv: readonly string[], options: HostOptions = {}) {
    reset()
    requested.length = 0
    const env = {
      MEETROOM_CONFIG_DIR: config,
      MEETROOM_DATA_DIR: data,
      XDG_CACHE_HOME: join(dir, 'cache'),
      ...options.env,
    }
    const host = testHost({ cwd: dir, ...options, env })
    host.hurry()
    if (stays.test(argv.join(' '))) setTimeout(() => host.signal('SIGINT'), 5).unref()
    const code = await main(argv, host, async (baseUrl) => async ({ method, url }) => {
      requested.push(new URL(baseUrl).origin)
      const { pathname, search } = new URL(url)
      return script(method, pathname + search)
    })
    return { code, stderr: host.stderr.text, origins: [...new Set(requested)] }
  }

  return {
    run,
    answerWith(next: Script) {
      script = next
    },
    use(profile: string) {
      inUse = profile
    },
  }
}

type Machine = Awaited<ReturnType<typeof createMachine>>

/** Returns the commands that a text suggests, in shell syntax. */
function findSuggestions(text: string): string[] {
  const word = /(?:'[^']*'|"\$\(printf '[^']*'\)"|\\'|[^\s'";,<])+/y
  return [...text.matchAll(/meetroom (?=[a-z_]+ |[a-z]+$|-)/gm)].flatMap(({ index }) => {
    word.lastIndex = index
    const words: string[] = []
    for (let found = word.exec(text); found; found = word.exec(text)) {
      words.push(found[0])
      if (text[word.lastIndex] !== ' ') break
      word.lastIndex++
    }
    return ['has', 'sets'].includes(words[1] ?? '') ? [] : [words.join(' ')]
  })
}

/** Splits command lines into words with a POSIX shell. */
function splitIntoWords(lines: readonly string[]): string[][] {
  const script = `meetroom() { printf '%s\\0' "$@"; printf '\\001\\0'; }\n${lines.join('\n')}\n`
  const text = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' })
  return text
    .split('\u0001\0')
    .slice(0, -1)
    .map((line) => line.split('\0').slice(0, -1))
}

const calls = (await allCalls())
  .filter((call) => !sendsElsewhere.test(call))
  .map((call) =>
    call.replaceAll('ROOM', room).replaceAll('MEMBER', member).replace('KEYCOMMAND', '/bin/false'),
  )

const more = [
  ...['rooms get name:R', 'rooms get R', 'rooms wait name:R --for empty', 'users create ada'],
  ...['members block --all-rooms', `members get ${room} --user bob`, 'rooms list --where online>0 --all'],
  ...['config set profile ci', 'config unset api_key', 'config set api_key x', 'config set key_command x'],
  ...['config get nothing', 'profiles use nowhere', 'profiles remove nowhere --yes', 'help zzz'],
  ...['schema nothing', 'serve --print-env --port 0', 'message send r1 hello world', 'auth login', 'api'],
  ...['rooms', 'nothing', 'rooms list --nothing', 'rooms list --api-key x', 'rooms get', 'rooms get - -'],
  ...['rooms delete r1 r2 --yes --save deleted', "users get -- -x'y", 'users create -- -x', 'auth logout'],
  ...['rooms import rooms.csv --max-errors 0', 'users import users.csv --if-exists overwrite'],
  ...['users import users.csv --if-exists overwrite --fail-fast'],
]

const lines = [...new Set([...calls, ...more])]

function withFlags(line: string, flags: readonly string[]): string[] {
  // Completion reads the flags from the completed line.
  if (line.startsWith('__complete powershell ')) {
    const typed = Buffer.from(line.split(' ')[2] ?? '', 'base64').toString()
    const flagged = typed.replace('meetroom', ['meetroom', ...flags].join('\n'))
    return ['__complete', 'powershell', Buffer.from(flagged).toString('base64')]
  }
  if (line.startsWith('__complete '))
    return line.replace('meetroom', ['meetroom', ...flags].join('\t')).split(' ')
  const words = line.split(' ')
  // After “--”, flags would be arguments.
  return words.includes('--') ? ['--yes', ...flags, ...words] : [...words, '--yes', ...flags]
}

const ways = Object.keys(targets)

/** Selects all lines in a full run, and fewer lines in a quick run. */
function selectLines(way: string, script: number): readonly string[] {
  return script === 0
    ? share(lines, ways.indexOf(way), ways.length)
    : share(byCommand(lines), script, 3).flatMap((same) => share(same, script, same.length))
}

const cases = Object.entries(targets).flatMap(([way, target]) =>
  Object.entries(scripts)
    .map(([what, script], nth) => ({ way, target, what, script, lines: selectLines(way, nth) }))
    .filter(({ what }) => way === '--profile' || what === 'responds 404'),
)

test.each(cases)(
  'a command with $way suggests commands for the same service if the service $what',
  async (given) => {
    const { target, script, lines } = given
    const machine = await createMachine()
    const suggested = new Map<string, string>()
    for (const line of lines) {
      machine.answerWith(script)
      const argv = withFlags(line, target.flags)
      const { stderr, origins } = await machine.run(argv, { env: { MEETROOM_API_KEY: key, ...target.env } })
      expect(
        origins.filter((origin) => origin !== target.origin),
        `${line}\n${stderr}`,
      ).toEqual([])
      expect(stderr, line).not.toContain('[object')
      // `meetroom local` acts on the local workspace, regardless of the flags.
      if (!line.startsWith('local '))
        for (const command of findSuggestions(stderr)) suggested.set(command, line)
    }
    expect(suggested.size).toBeGreaterThan(lines.length > 50 ? 10 : 3)
    expect(await pasteAll(machine, suggested, target)).toEqual([])
  },
)

/** Pasted commands that reached no other service. Many errors suggest the same command. */
const pasted = new Set<string>()

/** Returns the commands that reach another service while the profile `spare` is in use. */
async function pasteAll(machine: Machine, suggested: ReadonlyMap<string, string>, target: Target) {
  // `serve` runs until it is stopped, and `webhooks trigger` sends its request elsewhere.
  const commands = [...suggested.keys()].filter(
    (command) =>
      !/^meetroom (serve|webhooks trigger)/.test(command) && !pasted.has(`${target.origin} ${command}`),
  )
  const misled: unknown[] = []
  machine.answerWith(() => answer(401, {}))
  machine.use('spare')
  for (const [i, words] of splitIntoWords(commands).entries()) {
    const asksForKey =
      words[0] === 'auth' && words[1] === 'login' && !/--with-token|--key-command/.test(words.join(' '))
    const argv = asksForKey ? [...words, '--with-token'] : words
    const { origins } = await machine.run(argv, { env: { MEETROOM_API_KEY: key }, stdin: key })
    const others = origins.filter((origin) => origin !== target.origin)
    const command = commands[i] ?? ''
    if (others.length > 0) misled.push({ after: suggested.get(command), command, others })
    else pasted.add(`${target.origin} ${command}`)
  }
  return misled
}

const mistyped = (await leaves())
  .filter(({ words: [group = ''] }) => !group.startsWith('__'))
  .flatMap(({ words, command }) => {
    const name = words.join(' ')
    const args = command.registeredArguments.map(() => 'x')
    return [
      [...words.slice(0, -1), `${words.at(-1)}x`, ...args],
      ['-o', 'cvs', ...words, ...args],
      [...words, ...args, '--output', 'cvs'],
      [...words, ...args, '--jsn'],
      [...words, ...args, '--yes=true'],
      [...words, ...args, 'Maths', '7a'],
      [...words, ...words],
      [...words, 'name:Maths', '7a', ...args],
      [...words, ...args, '--timeout'],
    ].map((line) => ({ name, line }))
  })

test.each(Object.entries(targets))(
  'mistyped commands with %s suggest commands for the same service',
  async (way, target) => {
    const machine = await createMachine()
    const suggested = new Map<string, string>()
    const mistakes = share(mistyped, ways.indexOf(way), 2 * ways.length)
    expect(mistyped.length).toBeGreaterThan(150)
    for (const { name, line } of mistakes) {
      const argv = [...target.flags, ...line]
      const { stderr } = await machine.run(argv, { env: { MEETROOM_API_KEY: key, ...target.env } })
      for (const command of findSuggestions(stderr)) {
        suggested.set(command, argv.join(' '))
        expect(command, argv.join(' ')).not.toContain(`${name} ${name}`)
        expect(command, argv.join(' ')).not.toContain('name:name:')
      }
    }
    expect(suggested.size).toBeGreaterThan(mistakes.length / 6)
    expect(await pasteAll(machine, suggested, target)).toEqual([])
  },
)

test('users create exits 2 for an existing user and suggests --overwrite', async () => {
  const machine = await createMachine()
  machine.answerWith(() => answer(200, { user: { id: 'u', user_id: 'P2000' } }))
  const { code, stderr } = await machine.run(['users', 'create', 'P2000', '--profile', 'ci'])
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'error: user “P2000” already exists, and this command would overwrite the user\n' +
      'hint: pass --overwrite to overwrite the user; to change some fields, see: meetroom users update --help\n',
  })
})

test('rooms create suggests rooms list --name for the same profile if no response arrives', async () => {
  const machine = await createMachine()
  machine.answerWith(lost)
  const argv = ['rooms', 'create', '--name', 'Maths 7a', '--type', 'open', '--profile', 'ci']
  const { code, stderr } = await machine.run(argv)
  expect({ code, hint: stderr.split('\n').at(-2) }).toEqual({
    code: 7,
    hint: "hint: check with: meetroom rooms list --name 'Maths 7a' --profile ci",
  })
  const json = await machine.run([...argv, '--json'])
  expect(JSON.parse(json.stderr.trim().split('\n').at(-1) ?? '').error.hint).toBe(
    "check with: meetroom rooms list --name 'Maths 7a' --profile ci",
  )
})

test('rooms list --all-profiles suggests a command with --profile for each error', async () => {
  const machine = await createMachine()
  machine.answerWith(() => answer(401, {}))
  const { code, stderr } = await machine.run(['rooms', 'list', '--all-profiles'])
  const hint = (flags: string) => `hint: show the key in use with: meetroom auth status ${flags}\n`
  expect({ code, stderr }).toEqual({
    code: 8,
    stderr:
      `error: company: the service refuses the API key (401)\n${hint('--profile company')}` +
      `error: ci: the service refuses the API key (401)\n${hint('--profile ci')}` +
      `error: spare: the service refuses the API key (401)\n${hint('--profile spare')}` +
      'error: 3 of 3 profiles failed: company, ci, spare\n',
  })
})

describe('a suggested command in a hint', () => {
  const text = (words: readonly string[], ...operands: readonly string[]) =>
    formatHintText(suggest(words, ...operands), ['--profile', 'ci'], (words) => words)

  test('a POSIX shell splits a suggested command into the original words', () => {
    const words = [
      ...['', '-x', '--', '~', '~root', '=ls', '#x', '*', '$HOME', '`id`', 'a b', "it's", '"', '\\', '!!'],
      ...[
        '%s',
        '%',
        '\\n',
        'Größe',
        '日本語',
        '😀',
        'a\tb',
        '\u001b[2J',
        '\r',
        'a\nb',
        '\u202etxt',
        "-%'\\\t",
      ],
      ...['\u0085', '{a,b}', 'a;b', '&', '|', '<', '>', '(', '[x]', '^', 'a=b', '\u00a0'],
    ]
    const commands = words.map((word) => text(['rooms', 'list', '--name', word], word))
    for (const command of commands) expect(visible(command)).toBe(command)
    expect(splitIntoWords(commands)).toEqual(
      words.map((word) => {
        const flags = ['rooms', 'list', '--name', word]
        return word.startsWith('-')
          ? [...flags, '--profile', 'ci', '--', word]
          : [...flags, word, '--profile', 'ci']
      }),
    )
  })

  test('formatHintText() redacts a secret that contains a quote', () => {
    const redact = (words: string) => words.replaceAll("se'cret", '[API key]')
    const hint = ["for se'cret: ", suggest(['rooms', 'list', '--name', "a se'cret b"])]
    expect(formatHintText(hint, ['--base-url', "https://h.test/se'cret"], redact)).toBe(
      "for [API key]: meetroom rooms list --name 'a [API key] b' --base-url 'https://h.test/[API key]'",
    )
  })
})
