import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { topicSummaries } from '../../../src/cli/help/topics.ts'
import { main } from '../../../src/main.ts'
import { version } from '../../../src/version.ts'
import { testHost } from '../../helpers/host.ts'
import { perTest } from '../../helpers/per-test.ts'
import { createWorld } from '../../helpers/world.ts'

const world = perTest(createWorld)

async function show(line: string): Promise<string> {
  const host = testHost()
  const code = await main(line === '' ? [] : line.split(' '), host)
  expect({ code, stderr: host.stderr.text }, line).toEqual({ code: 0, stderr: '' })
  return host.stdout.text
}

const commandsIn = (help: string): string[] =>
  [...help.matchAll(/^(?:Commands|Resources|Set-up|[A-Z][\w -]*):\n((?: {2}.*\n)+)/gm)]
    .filter(([text]) => !/^(Flags|Arguments|Examples)/.test(text))
    .flatMap(([, lines = '']) => [...lines.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name))

const verbs: Record<string, string[]> = {
  rooms: [
    'list',
    'get',
    'wait',
    'link',
    'open',
    'create',
    'update',
    'terminate',
    'reopen',
    'delete',
    'import',
    'export',
  ],
  members: ['list', 'get', 'links', 'add', 'update', 'block', 'unblock', 'import', 'export'],
  users: [
    'list',
    'get',
    'create',
    'update',
    'delete',
    'rooms',
    'duplicates',
    'hand-over',
    'offboard',
    'merge',
    'import',
    'export',
  ],
  sessions: ['list', 'report', 'watch'],
  pages: ['list', 'create'],
  message: ['send'],
  workspace: ['export', 'diff', 'apply', 'adopt'],
  auth: ['login', 'logout', 'status'],
  profiles: ['list', 'use', 'protect', 'unprotect', 'remove'],
  config: ['list', 'get', 'set', 'unset', 'path'],
}
const leaves = Object.entries(verbs).flatMap(([group, names]) => names.map((name) => `${group} ${name}`))

describe('help', () => {
  test('meetroom --help lists command groups, topics and common flags in fewer than 75 lines', async () => {
    const help = await show('--help')
    expect(help).toMatch(/^Usage: meetroom \[flags\] \[command\]\n/)
    for (const group of Object.keys(verbs)) expect(commandsIn(help)).toContain(group)
    const headings = [...help.matchAll(/^(\w.*):$/gm)].map(([, heading]) => heading)
    expect(headings).toEqual([
      ...['Get started', 'Manage', 'Run and test', 'API and scripting'],
      ...[
        'Help topics (meetroom help TOPIC; start with concepts)',
        'Common flags (all: meetroom help flags)',
      ],
    ])
    const lines = help.trimEnd().split('\n')
    expect(lines.length).toBeLessThan(75)
    expect(lines.indexOf('Get started:')).toBeLessThan(15)
    for (const topic of Object.keys(topicSummaries))
      expect(help).toMatch(topic === 'flags' ? /help flags/ : new RegExp(`^  ${topic} `, 'm'))
    for (const flag of [
      ...['-o, --output <format>', '--json', '--profile <name>', '--local'],
      ...['--dry-run', '-y, --yes', '-q, --quiet', '-h, --help'],
    ])
      expect(help).toContain(`  ${flag} `)
    expect(help).not.toContain('api-key')
  })

  test('meetroom prints the same help with --help, -h, help and no arguments', async () => {
    const help = await show('--help')
    for (const line of ['', '-h', 'help', '--json --help', '-o json -h', '--help --local'])
      expect(await show(line), line).toBe(help)
  })

  test.each(Object.entries(verbs))('%s --help lists the commands of the group', async (group, names) => {
    const help = await show(`${group} --help`)
    expect(help).toMatch(new RegExp(`^Usage: meetroom ${group} \\[flags\\] \\[command\\]\\n`))
    expect(commandsIn(help).filter((name) => name !== 'help')).toEqual(names)
    // `help GROUP` prints the topic of the same name, if there is one.
    const asked = Object.hasOwn(topicSummaries, group) ? `${group} help` : `help ${group}`
    for (const line of [`${group} -h`, asked, `--local ${group} --help`, `${group} --json --help`])
      expect(await show(line), line).toBe(help)
  })

  test('--help before a command name prints the help of the command', async () => {
    for (const words of ['rooms', 'rooms list', 'config set'])
      for (const flag of ['--help', '-h'])
        expect(await show(`${flag} ${words}`), `${flag} ${words}`).toBe(await show(`${words} --help`))
    expect(await show('rooms --help list')).toBe(await show('rooms list --help'))
  })

  test('rooms help prints the help of rooms, or of a command, and exits 2 for an unknown command', async () => {
    expect(await show('rooms help')).toBe(await show('rooms --help'))
    expect(await show('rooms help')).toMatch(/^ {2}help +Print the help of a command$/m)
    expect(await show('rooms help list')).toBe(await show('rooms list --help'))
    expect(await world.run('rooms help nope')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: no help on “rooms nope”\nhint: did you mean: meetroom help rooms\n',
    })
  })

  test.each(leaves)('%s --help prints a usage line, a description and examples', async (leaf) => {
    const help = await show(`${leaf} --help`)
    expect(help).toMatch(
      new RegExp(`^Usage: meetroom ${leaf} \\[flags\\]( [<\\[].*)?\\n\\n[A-Z].*\\.\\n`, 's'),
    )
    expect(help).toMatch(new RegExp(`\nExamples:\n( {2}\\$ .*\\bmeetroom ${leaf}\\b.*\n)+`))
    expect(help).toMatch(/\nGlobal flags: meetroom help flags\n$/)
    expect(help.endsWith('\n')).toBe(true)
    for (const line of [
      ...[`help ${leaf}`, `${leaf} -h`, `--no-color ${leaf} --help`, `${leaf} --json -h`],
      // `--help` takes precedence over other arguments.
      `${leaf} a b c d --nope --help`,
    ])
      expect(await show(line), line).toBe(help)
  })

  test('rooms create --help lists the flags of the command', async () => {
    const help = await show('rooms create --help')
    for (const flag of [
      '--name <name>',
      '--type <type>',
      '--record',
      '--max-meeting-seconds <duration>',
      '--webhook-url <url>',
    ])
      expect(help).toContain(`  ${flag} `)
    expect(help.replaceAll(/\s+/g, ' ')).toContain('(choices: "open", "public", "private")')
    expect(await show('users create --help')).toContain('  --overwrite ')
    expect(await show('members block --help')).toContain('  --force ')
  })

  test('the help of groups and commands omits aliases', async () => {
    const hidden = ['ls', 'show', 'rm', 'room', 'member', 'user', 'session', 'page', 'messages', 'profile']
    for (const line of ['', ...Object.keys(verbs)]) {
      const help = await show(`${line} --help`.trim())
      expect(help, line).not.toContain('|')
      expect(
        commandsIn(help).filter((name) => hidden.includes(name)),
        line,
      ).toEqual([])
    }
    for (const leaf of leaves) expect((await show(`${leaf} --help`)).split('\n')[0]).not.toContain('|')
  })

  test('room ls --help prints the help of rooms list', async () => {
    expect(await show('room ls --help')).toBe(await show('rooms list --help'))
    expect(await show('help user rm')).toBe(await show('help users delete'))
  })

  test.each([
    ['exit-codes', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 70, 74, 129, 130, 143].map((code) => `\n${code} `)],
    [
      'environment',
      [
        ...['API_KEY', 'BASE_URL', 'PROFILE', 'OUTPUT', 'TIMEOUT', 'RETRIES', 'AUDIT_LOG', 'SAVE_DELETED'],
        ...['CONFIG_DIR', 'DATA_DIR', 'NO_INPUT'],
      ].map((name) => `MEETROOM_${name}`),
    ],
    [
      'environment',
      [
        ...['NO_COLOR', 'FORCE_COLOR', 'CI', 'COLUMNS', 'HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'],
        'NODE_EXTRA_CA_CERTS',
      ],
    ],
    ['output', ['-o table', '-o json', '-o ndjson', '-o csv', '-o tsv', '-o ids', '--columns']],
  ])('help %s lists the exit codes, variables or flags of the topic', async (topic, parts) => {
    const text = await show(`help ${topic}`)
    for (const part of parts) expect(text).toContain(part)
  })

  test('help formatting prints the renamed topic output with a notice', async () => {
    expect(await (await createWorld()).run('help formatting')).toMatchObject({
      code: 0,
      stdout: await show('help output'),
      stderr: 'the topic “formatting” is now “output”\n',
    })
  })

  test.each([
    ['where', ['rooms list', 'sessions list', 'users export', 'members block', 'rooms delete']],
    ['import', ['rooms import', 'users import', 'members import', 'rooms export', 'members export']],
    ['lists', ['rooms list', 'members list', 'users list', 'sessions list']],
    ['bulk', ['rooms terminate', 'rooms reopen', 'users delete', 'members unblock']],
    ['workspace', ['workspace export', 'workspace diff', 'workspace apply', 'workspace adopt']],
    ['offboarding', ['users offboard', 'users hand-over']],
  ])('the help of related commands refers to the topic %s', async (topic, commands) => {
    for (const command of commands)
      expect(await show(`${command} --help`), command).toContain(`\nSee: meetroom help ${topic}\n`)
    for (const command of ['rooms get', 'auth login', 'users create'])
      expect(await show(`${command} --help`), command).not.toContain(`See: meetroom help ${topic}\n`)
  })

  test('the help of each command in the common groups refers to an existing topic', async () => {
    for (const leaf of leaves) {
      const named = [...(await show(`${leaf} --help`)).matchAll(/^See: meetroom help (\S+)$/gm)]
      expect(named.length, leaf).toBeGreaterThan(0)
      for (const [, topic = ''] of named) expect(Object.keys(topicSummaries)).toContain(topic)
    }
  })

  test('help with a search term lists at most eight sections, starting with the most relevant topic', async () => {
    const first = {
      csv: 'import',
      excel: 'import',
      restore: 'undo',
      exit: 'exit-codes',
      8: 'exit-codes',
      'exit code 8': 'exit-codes',
      key: 'config',
      'replace key': 'config',
      rotate: 'config',
      rotation: 'config',
      lesson: 'recipes',
      'private link': 'links',
      signature: 'webhooks',
      hmac: 'webhooks',
      'restore user': 'undo',
      MEETROOM_DATA_DIR: 'environment',
      docker: 'ci',
      cron: 'ci',
    }
    for (const [word, topic] of Object.entries(first)) {
      const [title, empty, ...lines] = (await show(`help ${word}`)).trimEnd().split('\n')
      expect([title, empty]).toEqual([`“${word}” is explained in:`, ''])
      expect(lines.length).toBeLessThanOrEqual(8)
      expect(lines[0]).toMatch(new RegExp(`^meetroom help ${topic} `))
    }
  })

  test('help webhook prints the topic webhooks', async () => {
    expect(await show('help webhook')).toBe(await show('help webhooks'))
  })

  test.each(['nope', '__proto__', 'constructor'])(
    'help %s exits 2 because the topic does not exist',
    async (words) => {
      expect(await world.run(`help ${words}`)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: no help on “${words}”\nhint: list the topics and commands with: meetroom --help\n`,
      })
    },
  )

  test('help and --version exit 0 despite invalid settings', async () => {
    const env = { MEETROOM_OUTPUT: 'xml', MEETROOM_PROFILE: 'nowhere', MEETROOM_TIMEOUT: 'x' }
    for (const line of [
      'help',
      'help rooms',
      'help rooms list',
      'help environment',
      'rooms list --help',
      '--version',
    ])
      expect(await world.run(line, { env }), line).toMatchObject({ code: 0, stderr: '' })
  })

  test('sessions list --help fits the width of the terminal, except for the examples', async () => {
    for (const columns of [60, 100])
      for (const options of [
        { tty: true, columns },
        { tty: true, columns: 200, env: { COLUMNS: String(columns) } },
      ]) {
        const { stdout } = await world.run('sessions list --help', options)
        const body = stdout.slice(0, stdout.indexOf('\nExamples:'))
        expect(Math.max(...body.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns)
      }
  })

  test('--help prints no colors on a terminal', async () => {
    const { stdout } = await world.run('--help', { tty: true })
    expect(stdout).not.toContain('\u001b')
  })
})

describe('--version', () => {
  test.each([
    '--version',
    '-V',
    'rooms --version',
    'rooms list -V',
    '--json --version',
    'rooms list --limit 3 --version',
  ])('the command “%s” prints only the version', async (line) => {
    expect(await show(line)).toBe(`${version}\n`)
  })

  test('the version constant equals the version in package.json', async () => {
    const { default: manifest } = await import('../../../package.json')
    expect(version).toBe(manifest.version)
  })
})

describe('a usage error', () => {
  test.each([
    ['romos list', 'unknown command “romos”', 'did you mean: meetroom rooms list'],
    ['romes list', 'unknown command “romes”', 'did you mean: meetroom rooms list'],
    ['roles list', 'unknown command “roles”', 'list the commands with: meetroom --help'],
    ['rooms lst', 'unknown command “lst”', 'did you mean: meetroom rooms list'],
    ['rooms lsit', 'unknown command “lsit”', 'did you mean: meetroom rooms list'],
    ['usres', 'unknown command “usres”', 'see: meetroom users --help'],
    ['rooms xyzzy', 'unknown command “xyzzy”', 'see: meetroom rooms --help'],
    ['rooms list --limt 3', 'unknown flag “--limt”', 'did you mean: meetroom rooms list --limit 3'],
    ['rooms list --jsno', 'unknown flag “--jsno”', 'did you mean: meetroom rooms list --json'],
    ['--jsno rooms list', 'unknown flag “--jsno”', 'did you mean: meetroom rooms list --json'],
    ['rooms list --xyzzy', 'unknown flag “--xyzzy”', 'see: meetroom rooms list --help'],
    [
      'rooms list extra',
      'unexpected argument “extra”: rooms list takes no arguments',
      "find rooms by name with: meetroom rooms list --where 'name~extra'",
    ],
    ['rooms get', 'the argument “room” is missing', "as in: meetroom rooms get 'name:Weekly sync'"],
    [
      'rooms list --name',
      '--name needs a value: --name <name>',
      'only rooms with exactly this name; see: meetroom rooms list --help',
    ],
    [
      'rooms list -o xml',
      '--output must be table, json, ndjson, csv, tsv or ids, not “xml”',
      'see: meetroom help output',
    ],
    [
      'rooms create --type opne',
      '--type must be open, public or private, not “opne”',
      'did you mean: meetroom rooms create --type open',
    ],
  ])('the command “%s” exits 2 with a hint', async (line, message, hint) => {
    const { code, stdout, stderr } = await world.run(line)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    const [first, second, ...rest] = stderr.split('\n')
    expect(first).toBe(`error: ${message}`)
    expect(second?.replace(' --base-url https://meet.test/v1', '')).toBe(`hint: ${hint}`)
    expect(rest).toEqual([''])
    expect(world.requests).toEqual([])
  })

  test('meetroom prints a usage error as one JSON object with --json or -o ndjson', async () => {
    for (const line of [
      'rooms lst --json',
      'rooms lst -o ndjson',
      '--output=json rooms lst',
      '-ojson rooms lst',
    ]) {
      const { code, stdout, stderr } = await world.run(line)
      expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' })
      expect(JSON.parse(stderr).error, line).toMatchObject({
        code: 'usage',
        message: 'unknown command “lst”',
        retryable: false,
      })
      expect(stderr, line).toMatch(/^\{.*\}\n$/)
    }
  })

  test('rooms get -- --json prints the error as plain text', async () => {
    const { stderr } = await world.run(['rooms', 'get', '--', '--json'])
    expect(stderr).toMatch(/^error: no such room: --json\n/)
  })

  test.each(Object.entries(verbs))(
    'the group %s without a command exits 2 and lists its commands',
    async (group, names) => {
      for (const line of [group, `${group} --json`, `--no-color ${group}`, `${group} -o table`]) {
        const { code, stdout, stderr } = await world.run(line)
        expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' })
        const said = line.includes('--json')
          ? JSON.parse(stderr).error.message
          : stderr.split('\n')[0]?.replace('error: ', '')
        expect(said, line).toBe(`${group} needs a command: ${names.join(', ')}`)
        expect(stderr, line).toContain(`meetroom ${group} --help`)
      }
    },
  )

  test('meetroom with flags but without a command exits 2', async () => {
    for (const line of ['--no-color', '--local', '-y', '--retries 1']) {
      const { code, stdout, stderr } = await world.run(line)
      expect({ code, stdout }, line).toEqual({ code: 2, stdout: '' })
      expect(stderr, line).toMatch(/^error: .*command/)
      expect(stderr, line).not.toContain('undefined')
    }
  })

  test('meetroom exits 2 for a command or flag with the name of a JavaScript object property', async () => {
    for (const line of [
      '__proto__',
      'constructor',
      'rooms constructor',
      'rooms list --__proto__',
      'rooms toString',
    ])
      expect(await world.run(line), line).toMatchObject({ code: 2, stdout: '' })
  })
})

describe('global flags', () => {
  let ids: string
  beforeEach(async () => {
    ids = `${(await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room.id}\n`
  })

  test.each([
    '-o ids rooms list',
    'rooms -o ids list',
    'rooms list -o ids',
    'rooms list --output ids',
    '--output=ids rooms list',
    'rooms --output=ids list --limit 1',
    'rooms list --limit 1 -oids',
    '-q rooms -o csv list -o ids',
    '--no-color -q rooms --retries 0 list --timeout 9 -o ids',
  ])('the command “%s” applies its global flags', async (line) => {
    expect(await world.run(line)).toMatchObject({ code: 0, stdout: ids, stderr: '' })
  })

  test.each([
    '--dry-run rooms create --name X --type open',
    'rooms --dry-run create --name X --type open',
    'rooms create --dry-run --name X --type open',
    'rooms create --name X --type open --dry-run',
  ])('the command “%s” applies --dry-run', async (line) => {
    expect((await world.run(line)).stdout).toBe(
      'POST https://meet.test/v1/rooms {"name":"X","type":"open"}\n',
    )
    expect(world.requests).toEqual([])
  })

  test('rooms create --name=--json sends --json as the name', async () => {
    await world.run(['rooms', 'create', '--name=--json', '--type', 'open'])
    expect(JSON.parse(world.requests[0]?.body ?? '')).toEqual({ name: '--json', type: 'open' })
  })

  test('rooms create --name -q exits 2 before any request', async () => {
    expect(await world.run('rooms create --name -q --type open')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^error: --name needs a value: --name <name>\n/),
    })
    expect(world.requests).toEqual([])
  })
})

describe('every command', () => {
  let listed: Record<string, string[]>
  beforeAll(async () => {
    const groups = commandsIn(await show('--help')).filter((name) => name !== 'help')
    listed = {}
    for (const group of groups)
      listed[group] = commandsIn(await show(`${group} --help`)).filter((name) => name !== 'help')
  })

  test('the help of every command contains examples', async () => {
    for (const [group, names] of Object.entries(listed))
      for (const line of names.length > 0 ? names.map((name) => `${group} ${name}`) : [group])
        expect(await show(`${line} --help`), line).toMatch(/\nExamples:\n {2}\$ /)
  })
})
