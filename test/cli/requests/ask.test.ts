import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { documentation } from '../../helpers/documentation.ts'
import type { TestHost } from '../../helpers/host.ts'
import { fingerprint, storedAt } from '../../helpers/login.ts'
import { talk } from '../../helpers/talk.ts'
import { harmIn } from '../../helpers/terminal.ts'
import { soon } from '../../helpers/waiting.ts'
import { baseUrl, createWorld, type World } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

let world: World
let file: string
beforeEach(async () => {
  world = await createWorld()
  file = join(world.configDir, 'config.json')
})

const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
const sent = () => world.requests.map(({ method, body }) => [method, body && JSON.parse(body)])
const untilShown = async (host: TestHost, text: string) => {
  while (!host.stderr.text.includes(text)) await new Promise((turn) => setTimeout(turn, 1))
}
const name = 'Name of the room:'
const type = 'Type of the room:'

describe('rooms create on a terminal', () => {
  test('rooms create on a terminal prompts for a name and a type on stderr', async () => {
    const { code, stdout, stderr } = await talk(world, 'rooms create --json', [
      [name, ' Weekly sync \n'],
      [type, 'Private\n'],
    ])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).room).toMatchObject({ name: 'Weekly sync', type: 'private' })
    expect(stderr).toContain(
      'access to the room:\n  open (anyone with the URL)\n  public (each user of the workspace)\n  private (invited members)\n',
    )
    expect(sent()).toEqual([['POST', { name: 'Weekly sync', type: 'private' }]])
  })

  test('rooms create on a terminal explains the limit of --max-meeting-seconds', async () => {
    const line = 'rooms create --name Weekly --max-meeting-seconds 45m'
    const { stderr } = await talk(world, line, [[type, 'open\n']])
    expect(stderr).toContain(
      'meeting time: at most 45m; the clock runs only while two or more guests or hosts are connected\n',
    )
    expect(sent()).toEqual([['POST', { name: 'Weekly', type: 'open', max_meeting_seconds: 2700 }]])
  })

  test.each([
    ['rooms create --name Weekly', type, 'open\n', name],
    ['rooms create --set name=Weekly', type, 'open\n', name],
    ['rooms create --type open', name, 'Weekly\n', type],
    ['rooms create --data {"type":"open"}', name, 'Weekly\n', type],
  ])('%s on a terminal prompts only for the missing value', async (line, question, typed, other) => {
    const { code, stderr } = await talk(world, line, [[question, typed]])
    expect(code).toBe(0)
    expect(stderr).not.toContain(other)
    expect(sent()).toEqual([['POST', { name: 'Weekly', type: 'open' }]])
  })

  test('rooms create on a terminal repeats a prompt after invalid input', async () => {
    const { code } = await talk(world, 'rooms create', [
      [name, ' \n'],
      ['the name of the room is empty', 'Weekly\n'],
      [type, 'opn\n'],
      ['type must be open, public or private, not “opn”', '\u0015open\n'],
    ])
    expect(code).toBe(0)
    expect(sent()).toEqual([['POST', { name: 'Weekly', type: 'open' }]])
  })

  test.each(['\u0003', '\u0004'])(
    'rooms create on a terminal exits 130 without a request if %j ends the prompt',
    async (typed) => {
      for (const replies of [
        [[name, typed]],
        [
          [name, 'Weekly\n'],
          [type, `op${typed}`],
        ],
      ] as [string, string][][])
        expect((await talk(world, 'rooms create', replies)).code).toBe(130)
      expect(sent()).toEqual([])
    },
  )

  test('rooms create on a terminal exits 130 if the terminal disconnects during a prompt', async () => {
    const { host, done } = world.start(['rooms', 'create'], { tty: true })
    await soon('the question', untilShown(host, name))
    host.hangUp()
    expect((await done).code).toBe(130)
    expect(sent()).toEqual([])
  })

  test('rooms create --dry-run on a terminal prints the request after the prompts', async () => {
    const { stdout } = await talk(world, 'rooms create --name Weekly --dry-run', [[type, 'open\n']])
    expect(stdout).toBe(`POST ${baseUrl}/rooms {"name":"Weekly","type":"open"}\n`)
    expect(sent()).toEqual([])
  })

  test('rooms create on a terminal exits 2 before prompting if the command cannot succeed', async () => {
    const settings = { profiles: { default: { base_url: baseUrl, protected: true } } }
    mkdirSync(world.configDir, { mode: 0o700 })
    writeFileSync(file, JSON.stringify(settings), { mode: 0o600 })
    const line = 'rooms create --profile default'
    expect(await world.run(line, { tty: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is protected'),
    })
    const env = { ...bare, MEETROOM_CONFIG_DIR: join(world.dir, 'none') }
    expect(await world.run('rooms create', { tty: true, env })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('no service is configured'),
    })
    expect(await world.run('rooms create --webhook-secret x', { tty: true })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--webhook-secret needs --webhook-url'),
    })
  })

  test('rooms create escapes control characters of a pasted name in the prompt but not in the request', async () => {
    const pasted = 'a\u009b31mred\u202eabc\u0000\u200b'
    const { code, stderr } = await talk(world, 'rooms create --type open', [[name, `${pasted}\u001b[31m\n`]])
    expect(code).toBe(0)
    expect(harmIn(stderr, true)).toBeUndefined()
    expect(stderr).toContain('a\\u009b31mred\\u202eabc')
    expect(sent()).toEqual([
      ['POST', { name: expect.stringContaining('a\u009b31mred\u202eabc'), type: 'open' }],
    ])
  })

  test('the prompt of rooms create displays at most 200 characters of a long name', async () => {
    const long = 'x'.repeat(sized(600, 5000))
    const { code, stderr } = await talk(world, 'rooms create --type open -o ids', [[name, `${long}\n`]])
    expect(code).toBe(0)
    expect(stderr).not.toContain('x'.repeat(201))
    expect(sent()).toEqual([['POST', { name: long, type: 'open' }]])
  })
})

describe('a command that prompts for input', () => {
  const lines = [
    ['rooms create', '--name is missing'],
    ['rooms create --name Weekly', '--type \\(open, public or private\\) is missing'],
    ['auth login', 'no base URL to log in to'],
    [`auth login --base-url ${baseUrl}`, 'logging in needs a key, and'],
  ] as const

  test.each(lines)(
    'the command “%s” exits 2 without a prompt if there is no terminal or prompts are disabled',
    async (line, words) => {
      const env = line.startsWith('auth') ? bare : {}
      for (const options of [
        { env },
        { tty: true, env: { ...env, MEETROOM_NO_INPUT: '1' } },
        { tty: true, env: { ...env, CI: 'true' } },
      ])
        expect(await world.run(line, options)).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringMatching(new RegExp(`^[^?]*${words}`)),
        })
      expect(sent()).toEqual([])
      expect(existsSync(file)).toBe(false)
    },
  )

  test('users delete on a terminal exits 10 without a prompt in CI', async () => {
    await world.send('POST', '/users', { user_id: 'ada' })
    expect(await world.run('users delete ada', { tty: true, env: { CI: '1', NO_COLOR: '1' } })).toMatchObject(
      {
        code: 10,
        stderr: expect.stringContaining('deleting users needs confirmation, and CI disables prompts'),
      },
    )
  })

  test('rooms create prompts on a terminal with CI=false', async () => {
    const options = { env: { CI: 'false' } }
    expect((await talk(world, 'rooms create --name N', [[type, 'open\n']], options)).code).toBe(0)
  })
})

describe('auth login on a terminal', () => {
  const url = 'Base URL of the service:'
  const key = 'API key for https://meet.test'
  const origin = 'https://meet.test'
  const env = { ...bare, SHELL: '/usr/bin/zsh' }
  const stored = () => JSON.parse(readFileSync(file, 'utf8')).profiles
  const login = (replies: [string, string][], line = 'auth login') => talk(world, line, replies, { env })
  function store(profiles: object): void {
    mkdirSync(world.configDir, { mode: 0o700 })
    writeFileSync(file, JSON.stringify({ profiles, profile: 'default' }), { mode: 0o600 })
  }
  const other = {
    base_url: 'https://other.test/v1',
    api_key: 'another-key',
    api_key_origin: 'https://other.test',
  }

  test('auth login on a terminal stores the typed base URL and key', async () => {
    const { code, stdout, stderr } = await login([
      [url, `${baseUrl}\n`],
      [key, `${world.apiKey}\n`],
    ])
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).not.toContain(world.apiKey)
    expect(stderr).toMatch(
      /logged in to https:\/\/meet\.test as profile default\nkey fingerprint [0-9a-f]{8}, stored \S+Z\nnext steps:\n {2}meetroom auth status --profile default\n {2}meetroom rooms list --profile default\n {2}meetroom completion zsh\n$/,
    )
    expect(stored()).toEqual({
      default: {
        base_url: baseUrl,
        api_key: world.apiKey,
        api_key_stored_at: storedAt,
        api_key_origin: origin,
      },
    })
  })

  test('auth login on a terminal prints the same prompts as the README', async () => {
    const readme = documentation()
    const [, block = ''] = /<!-- login -->\n```console\n([\s\S]*?)```/.exec(readme) ?? []
    const [first = '', ...lines] = block.trimEnd().split('\n')
    const { stderr } = await talk(
      world,
      first.replace('$ meetroom ', ''),
      [
        [url, 'https://meet.example.com/v1\n'],
        ['API key for', `${world.apiKey}\n`],
      ],
      { env: { ...env, SHELL: '/bin/bash' } },
    )
    // Standard error also contains overwritten text.
    const drawn = stripVTControlCharacters(stderr).split('\n')
    const shown = drawn.map((line) =>
      line.replace(/^\?.*✔/, '✔').replace(fingerprint(world.apiKey), '1f2e3d4c'),
    )
    expect(shown).toEqual([...lines, ''])
  })

  test('auth login on a terminal repeats the prompt with a reason after an invalid base URL', async () => {
    const again = '\u0015'
    const { code } = await login([
      [url, 'meet.test\n'],
      [
        '> the base URL is not a valid URL; a base URL has the form https://meet.example.com/v1',
        `${again}ftp://meet.test\n`,
      ],
      ['> the base URL must begin with https:// or http://, not “ftp:”', `${again}https://a:b@meet.test\n`],
      ['> the base URL must not contain a user name or password', `${again}http://meet.test/v1\n`],
      ['> plain http would send the key unencrypted to http://meet.test; did', `${again}${baseUrl}\n`],
      [key, `${world.apiKey}\n`],
    ])
    expect(code).toBe(0)
    expect(stored().default.base_url).toBe(baseUrl)
  })

  test('auth login hides a key pasted into the base URL prompt', async () => {
    const pasted = 'sk_live_0123456789'
    const { code, stderr } = await login([
      [url, `${pasted}\n`],
      ['> the base URL is not a valid URL', '\u0003'],
    ])
    expect(code).toBe(130)
    expect(stderr).toContain('[hidden: it does not begin with https://]')
    expect(stderr).not.toContain(pasted.slice(0, 4))
  })

  test('auth login with TERM=dumb hides a key pasted into the base URL prompt', async () => {
    const pasted = 'sk_live_0123456789'
    const { code, stderr } = await talk(
      world,
      'auth login',
      [
        [url, `${pasted}\n`],
        ['> the base URL is not a valid URL', `${baseUrl}\n`],
        [key, `${world.apiKey}\n`],
      ],
      { env: { ...env, TERM: 'dumb' } },
    )
    expect(code).toBe(0)
    expect(stderr).toContain(`${url} [hidden: it does not begin with https://]\n`)
    expect(stderr).toContain(`${url} ${baseUrl}\n`)
  })

  test.each(['\u0003', '\u0004'])(
    'auth login on a terminal stores no settings if %j ends a prompt',
    async (typed) => {
      expect((await login([[url, `https${typed}`]])).code).toBe(130)
      expect(
        (
          await login([
            [url, `${baseUrl}\n`],
            [key, `${world.apiKey}${typed}`],
          ])
        ).code,
      ).toBe(130)
      expect(sent()).toEqual([])
      expect(existsSync(file)).toBe(false)
    },
  )

  test('auth login on a terminal suggests the base URL of the profile', async () => {
    store({ default: { base_url: baseUrl, api_key: 'an-older-key', api_key_origin: origin, timeout: 5 } })
    const { code, stderr } = await login([
      [baseUrl, '\n'],
      ['(replaces the stored one):', `${world.apiKey}\n`],
    ])
    expect(code, stderr).toBe(0)
    expect(stored().default).toMatchObject({ base_url: baseUrl, api_key: world.apiKey, timeout: 5 })
  })

  test('auth login escapes control characters in the suggested base URL', async () => {
    store({ default: { base_url: 'https://meet.test/\u001b]0;title\u0007\u202ev1' } })
    const { code, stderr } = await login([[url, '\u0003']])
    expect(code).toBe(130)
    expect(harmIn(stderr, true)).toBeUndefined()
    expect(stderr).toContain('(https://meet.test/\\u001b]0;title')
  })

  test.each([' --no-color', ''])(
    'auth login%s prints no colors on a terminal if colors are disabled',
    async (flag) => {
      const { stderr } = await talk(
        world,
        `auth login${flag}`,
        [
          [url, `${baseUrl}\n`],
          ['API key for', `${world.apiKey}\n`],
        ],
        { env: { ...env, ...(flag === '' && { NO_COLOR: '1' }) } },
      )
      expect(stderr).toContain('logged in to')
      expect(stderr).not.toContain('\u001b[3')
    },
  )

  test('auth login refuses another base URL for an existing profile before the key prompt', async () => {
    store({ default: other })
    const { code, stderr } = await login([[url, `${baseUrl}\n`]])
    expect(code).toBe(2)
    expect(stripVTControlCharacters(stderr)).toMatch(
      /error: profile default is for https:\/\/other\.test\/v1; nothing was stored\nhint: to keep the profile, pass another name with --profile; to replace it: meetroom auth login --profile default --base-url https:\/\/meet\.test\/v1 --replace\n$/,
    )
    expect(sent()).toEqual([])
    expect(stored()).toEqual({ default: other })
    const staging = await login(
      [[key, `${world.apiKey}\n`]],
      `auth login --profile staging --base-url ${baseUrl}`,
    )
    expect(staging.stderr).toContain('next steps:\n  meetroom auth status --profile staging')
    expect(stored().default).toEqual(other)
    const again = await login([[key, `${world.apiKey}\n`]], `auth login --replace --base-url ${baseUrl}`)
    expect(again.code).toBe(0)
    expect(stored().default).toEqual({
      base_url: baseUrl,
      api_key: world.apiKey,
      api_key_stored_at: storedAt,
      api_key_origin: origin,
    })
  })

  test('auth login --key-command prompts only for the base URL', async () => {
    writeFileSync(join(world.dir, 'key'), world.apiKey)
    const line = `auth login --quiet --key-command /bin/cat\u00a0${join(world.dir, 'key')}`
    const argv = line.split(' ').map((word) => word.replace('\u00a0', ' '))
    const { host, done } = world.start(argv, { tty: true, env })
    setImmediate(() => host.type(`${baseUrl}\n`))
    expect((await done).code).toBe(0)
    expect(stored().default.key_command).toBe(`/bin/cat ${join(world.dir, 'key')}`)
  })
})
