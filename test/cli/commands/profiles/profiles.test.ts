import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { baseUrl, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let file: string
beforeEach(async () => {
  world = await createWorld()
  file = join(world.configDir, 'config.json')
})

const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
const run = (line: string, env: Record<string, string | undefined> = {}) =>
  world.run(line, { env: { ...bare, ...env } })

const stored = () => JSON.parse(readFileSync(file, 'utf8'))
function store(text: string): void {
  mkdirSync(world.configDir, { recursive: true })
  writeFileSync(file, text)
}

const profile = (more: object = {}) => ({
  base_url: baseUrl,
  api_key: world.apiKey,
  api_key_origin: 'https://meet.test',
  ...more,
})
const storeProfiles = (names: readonly string[], use?: string) =>
  store(
    `{${use ? `"profile":${JSON.stringify(use)},` : ''}"profiles":{${names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(profile())}`).join(',')}}}`,
  )

test('profiles list shows the stored profiles and the built-in profile local', async () => {
  store(
    JSON.stringify({
      profile: 'staging',
      profiles: { default: { base_url: 'https://other.test/v1' }, staging: profile() },
    }),
  )
  expect(await run('profiles list')).toMatchObject({
    code: 0,
    stdout:
      'NAME     IN USE  BASE URL               HAS KEY  PROTECTED\n' +
      '───────  ──────  ─────────────────────  ───────  ─────────\n' +
      'default  false   https://other.test/v1  false    false\n' +
      'staging  true    https://meet.test/v1   true     false\n' +
      'local    false                          false    false\n',
    stderr: '',
  })
})

test('profiles list --json omits the key', async () => {
  storeProfiles(['staging'], 'staging')
  const { stdout } = await run('profiles list --json')
  expect(JSON.parse(stdout)).toEqual({
    profiles: [
      { name: 'staging', in_use: true, base_url: baseUrl, has_key: true, protected: false },
      { name: 'local', in_use: false, base_url: null, has_key: false, protected: false },
    ],
  })
  expect(stdout).not.toContain(world.apiKey)
})

test('profiles list without stored settings shows only the profile local', async () => {
  expect(await run('profiles list -o ids')).toMatchObject({ code: 0, stdout: 'local\n', stderr: '' })
  expect(existsSync(file)).toBe(false)
})

test('profiles list shows the profile default as in use if no profile is selected', async () => {
  await run('config set output table')
  const { stdout } = await run('profiles list --json')
  expect(JSON.parse(stdout).profiles).toContainEqual(
    expect.objectContaining({ name: 'default', in_use: true }),
  )
})

test('profiles use changes the current profile', async () => {
  storeProfiles(['default', 'staging'], 'default')
  expect(await run('profiles use staging')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'using profile staging\n',
  })
  expect(stored().profile).toBe('staging')
  expect((await run('config get profile')).stdout).toBe('staging\n')
})

test('profiles use and profiles remove exit 3 for an unknown profile', async () => {
  storeProfiles(['default'], 'default')
  const before = readFileSync(file, 'utf8')
  for (const line of ['profiles use nowhere', 'profiles remove nowhere --yes'])
    expect(await run(line), line).toMatchObject({
      code: 3,
      stdout: '',
      stderr: 'error: no such profile: “nowhere”\nhint: profiles: default, local\n',
    })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('profiles remove of the current profile selects the profile default', async () => {
  storeProfiles(['default', 'staging'], 'staging')
  expect(await run('profiles remove staging --yes')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'deleted profile staging\n',
  })
  expect(stored()).toEqual({ profiles: { default: profile() } })
  expect(await run('rooms list -o ids')).toMatchObject({ code: 0 })
})

test('profiles remove of another profile keeps the current profile', async () => {
  storeProfiles(['default', 'staging'], 'default')
  await run('profiles rm staging -y')
  expect(stored()).toEqual({ profile: 'default', profiles: { default: profile() } })
})

test('profiles remove exits 10 without confirmation', async () => {
  storeProfiles(['staging'])
  expect(await run('profiles remove staging')).toMatchObject({
    code: 10,
    stdout: '',
    stderr:
      'error: deleting a profile needs confirmation, and there is no terminal for a prompt\nhint: pass --yes to confirm in advance\n',
  })
  const { host, done } = world.start(['profiles', 'remove', 'staging'], { tty: true, env: bare })
  setImmediate(() => host.type('n\n'))
  const { code, stderr } = await done
  expect(code).toBe(10)
  expect(stderr).toContain('Delete profile staging and its key?')
  expect(stored().profiles).toHaveProperty('staging')
})

test.each(['--dry-run', '--curl'])('profiles remove %s keeps the profile', async (flag) => {
  storeProfiles(['staging'])
  await run(`profiles remove staging ${flag}`)
  expect(stored().profiles).toHaveProperty('staging')
})

test('config get uses --profile, MEETROOM_PROFILE or the current profile, in this order', async () => {
  store(
    JSON.stringify({
      profile: 'a',
      profiles: { a: { timeout: 1 }, b: { timeout: 2 }, c: { timeout: 3 } },
    }),
  )
  const timeout = async (flags: string, env = {}) =>
    (await run(`config get timeout${flags}`, env)).stdout.trim()
  expect(await timeout('')).toBe('1')
  expect(await timeout('', { MEETROOM_PROFILE: 'b' })).toBe('2')
  expect(await timeout(' --profile c', { MEETROOM_PROFILE: 'b' })).toBe('3')
  expect(await timeout('', { MEETROOM_PROFILE: '' })).toBe('1')
  expect(stored().profile).toBe('a')
})

test('config list --profile shows the base URL and the key from the environment', async () => {
  storeProfiles(['staging'])
  const { stdout } = await world.run('config list --show-origin --no-header --profile staging')
  expect(stdout).toBe(
    'profile       staging               --profile\n' +
      'base_url      https://meet.test/v1  MEETROOM_BASE_URL\n' +
      'api_key       set                   MEETROOM_API_KEY\n' +
      'output        table                 default\n' +
      'timeout       30                    default\n' +
      'retries       2                     default\n' +
      'audit_log\n' +
      'save_deleted\n' +
      'join_url\n' +
      'replay_url\n' +
      'time_zone     UTC                   default\n',
  )
})

test.each([
  ['rooms list --profile nowhere', {}, '--profile'],
  ['--profile nowhere rooms list', {}, '--profile'],
  ['rooms list', { MEETROOM_PROFILE: 'nowhere' }, 'MEETROOM_PROFILE'],
  ['config list --profile nowhere', {}, '--profile'],
  ['config set timeout 3 --profile nowhere', {}, '--profile'],
  ['auth status --profile nowhere', {}, '--profile'],
  ['auth logout --profile nowhere', {}, '--profile'],
])('“meetroom %s” with the environment %j exits 2 for an unknown profile', async (line, env, origin) => {
  const expected = (target: string) => ({
    code: 2,
    stdout: '',
    stderr:
      `error: no such profile: “nowhere” (${origin})\n` +
      `hint: profiles: local; create the profile with: meetroom auth login --profile nowhere${target}\n`,
  })
  expect(await run(line, env)).toMatchObject(expected(''))
  expect(await world.run(line, { env })).toMatchObject(expected(' --base-url https://meet.test/v1'))
  expect(world.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test('rooms list exits 2 if the current profile does not exist', async () => {
  store('{"profile":"gone","profiles":{}}')
  const { code, stdout, stderr } = await run('rooms list')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^error: no such profile: “gone” \(settings file\)\n/)
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  'rooms list --profile %s exits 2 if no such profile is stored',
  async (name) => {
    storeProfiles(['default'], 'default')
    expect(await run(`rooms list --profile ${name}`), '--profile').toMatchObject({ code: 2, stdout: '' })
    expect(await run('rooms list', { MEETROOM_PROFILE: name }), 'env').toMatchObject({ code: 2, stdout: '' })
    expect(await run(`profiles use ${name}`), 'use').toMatchObject({ code: 3, stdout: '' })
    expect(await run(`profiles remove ${name} -y`), 'remove').toMatchObject({ code: 3, stdout: '' })
    expect(stored()).toEqual({ profile: 'default', profiles: { default: profile() } })
    expect(world.requests).toEqual([])
  },
)

test('auth login and profiles remove accept the profile name constructor', async () => {
  const made = await world.run(`auth login --with-token --profile constructor --base-url ${baseUrl}`, {
    stdin: world.apiKey,
    env: bare,
  })
  expect(made.code).toBe(0)
  expect(await run('rooms list -o ids --profile constructor')).toMatchObject({ code: 0, stderr: '' })
  expect((await run('profiles list -o ids')).stdout).toBe('constructor\nlocal\n')
  await run('config set timeout 9 --profile constructor')
  expect((await run('config get timeout --profile constructor')).stdout).toBe('9\n')
  expect((await run('profiles remove constructor --yes')).code).toBe(0)
  expect(stored()).toEqual({ profiles: {} })
})

test('profiles list and profiles remove accept a stored profile named __proto__', async () => {
  storeProfiles(['__proto__', 'default'], 'default')
  expect((await run('profiles list -o ids')).stdout).toBe('__proto__\ndefault\nlocal\n')
  expect(await run('rooms list -o ids --profile __proto__')).toMatchObject({ code: 0, stderr: '' })
  expect(await run('profiles remove __proto__ --yes')).toMatchObject({ code: 0 })
  expect(readFileSync(file, 'utf8')).not.toContain('__proto__')
  expect(stored()).toEqual({ profile: 'default', profiles: { default: profile() } })
})

test.each(['', '../x', 'a b', '-x', 'ä', 'a\u001bb', 'x'.repeat(65)])(
  'auth login exits 2 for the profile name %j',
  async (name) => {
    const { code, stdout, stderr } = await world.run(
      ['auth', 'login', '--with-token', `--profile=${name}`, '--base-url', baseUrl],
      { stdin: world.apiKey, env: bare },
    )
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).not.toContain('\u001b')
    expect(existsSync(file)).toBe(false)
  },
)

const made = async (line: string, env: Record<string, string | undefined> = {}) =>
  run(`${line} rooms create --name Local --type open -o ids`.trim(), env)

test.each([
  [' --local', {}],
  [' --profile local', {}],
  ['', { MEETROOM_PROFILE: 'local' }],
])('“meetroom%s rooms create” with the environment %j writes to the local workspace', async (flags, env) => {
  const { code, stdout, stderr } = await made(flags, env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect((await run(`${flags} rooms list -o ids`.trim(), env)).stdout).toBe(stdout)
  expect(world.requests).toEqual([])
})

test('profiles use local selects the local workspace for later commands', async () => {
  expect(await run('profiles use local')).toMatchObject({ code: 0, stderr: 'using profile local\n' })
  const { stdout } = await made('')
  expect((await run('rooms list -o ids --local')).stdout).toBe(stdout)
  expect((await run('profiles list -o csv --no-header')).stdout).toBe('local,true,,false,false\r\n')
})

test('rooms create --local requires --allow-write if the settings file is invalid', async () => {
  store('{')
  expect(await world.run('--local rooms list -o ids')).toMatchObject({ code: 0, stderr: '' })
  expect(await made('--local')).toMatchObject({ code: 2 })
  expect(await made('--local --allow-write')).toMatchObject({ code: 0, stderr: '' })
  expect(await made('--profile local --allow-write')).toMatchObject({ code: 0, stderr: '' })
  expect(await made('--allow-write', { MEETROOM_PROFILE: 'local' })).toMatchObject({ code: 0, stderr: '' })
  expect(readFileSync(file, 'utf8')).toBe('{')
})

test('--local, --profile local and MEETROOM_PROFILE=local take precedence over MEETROOM_BASE_URL', async () => {
  for (const [flags, env] of [
    ['--local', {}],
    ['--profile local', {}],
    ['', { MEETROOM_PROFILE: 'local' }],
  ] as const)
    expect(
      await world.run(`${flags} rooms create --name L --type open -o ids`.trim(), { env }),
      flags,
    ).toMatchObject({ code: 0, stderr: '' })
  expect(world.requests).toEqual([])
})

test('MEETROOM_BASE_URL takes precedence over the current profile local', async () => {
  await run('profiles use local')
  expect(await world.run('rooms list -o ids')).toMatchObject({ code: 0 })
  expect(world.requests).toHaveLength(1)
})

test('rooms list --local with another profile or a base URL exits 2', async () => {
  storeProfiles(['staging'])
  expect(await run('rooms list --local --profile staging')).toMatchObject({
    code: 2,
    stderr: 'error: --local and --profile staging cannot be used together\n',
  })
  for (const flags of ['--local', '--profile local'])
    expect(await run(`rooms list ${flags} --base-url ${baseUrl}`)).toMatchObject({
      code: 2,
      stderr: 'error: --base-url and the local workspace cannot be used together\n',
    })
  expect(await run('rooms list --local --profile local -o ids')).toMatchObject({ code: 0 })
})

test('profiles remove local exits 2', async () => {
  expect(await run('profiles remove local --yes')).toMatchObject({
    code: 2,
    stderr: 'error: the profile “local” is built in and cannot be deleted\n',
  })
})

test('config set --local changes only the profile local', async () => {
  await run('config set output ids --local')
  expect(stored()).toEqual({ profiles: { local: { output: 'ids' } } })
  const { stdout } = await run('--local rooms create --name L --type open')
  expect(stdout).toMatch(/^[0-9a-f]{24}\n$/)
  expect((await run('config get output')).stdout).toBe('table\n')
})

test('the command group profile is an alias of profiles', async () => {
  expect((await run('profile ls -o ids')).stdout).toBe('local\n')
})
