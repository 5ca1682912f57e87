import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { testPid } from '../../../helpers/host.ts'
import { answer, baseUrl, createWorld, type World } from '../../../helpers/world.ts'

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
function store(config: object | string): void {
  mkdirSync(world.configDir, { recursive: true })
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config))
}

async function readOrigin(key: string, flags: string, env: Record<string, string | undefined> = {}) {
  const { code, stdout, stderr } = await run(`config list --show-origin ${flags}`.trim(), env)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const line = stdout.split('\n').find((each) => each.startsWith(`${key} `))
  return line
    ?.split(/ {2,}/)
    .slice(1)
    .map((cell) => cell.trim())
}

test('config set for a profile without a service suggests a profile with a service', async () => {
  store({ profiles: { school: { base_url: 'https://school.test/v1' } } })
  expect(await run('config set output json')).toMatchObject({
    code: 0,
    stderr:
      'profile default has no service; for profile school: meetroom config set output json --profile school\n',
  })
  expect((await run('config set output json --profile school')).stderr).toBe('')
})

describe('precedence of settings', () => {
  const profile = { base_url: 'https://profile.test/v1', output: 'table', timeout: 11, retries: 11 }

  test('config list resolves base_url from the flag, the environment and the profile, in this order', async () => {
    const env = { MEETROOM_BASE_URL: 'https://env.test/v1' }
    expect((await run('config get base_url')).code).toBe(3)
    store({ profiles: { default: profile } })
    expect(await readOrigin('base_url', '')).toEqual(['https://profile.test/v1', 'profile default'])
    expect(await readOrigin('base_url', '', env)).toEqual(['https://env.test/v1', 'MEETROOM_BASE_URL'])
    expect(await readOrigin('base_url', '--base-url https://flag.test/v1/', env)).toEqual([
      'https://flag.test/v1',
      '--base-url',
    ])
  })

  test('config list resolves output from the flag, the environment and the profile, in this order', async () => {
    const env = { MEETROOM_OUTPUT: 'table' }
    expect(await readOrigin('output', '')).toEqual(['table', 'default'])
    store({ profiles: { default: profile } })
    expect(await readOrigin('output', '')).toEqual(['table', 'profile default'])
    expect(await readOrigin('output', '', env)).toEqual(['table', 'MEETROOM_OUTPUT'])
    expect(await readOrigin('output', '--output table', env)).toEqual(['table', '--output'])
  })

  test('config list resolves timeout from the flag, the environment and the profile, in this order', async () => {
    const env = { MEETROOM_TIMEOUT: '0.5' }
    expect(await readOrigin('timeout', '')).toEqual(['30', 'default'])
    store({ profiles: { default: profile } })
    expect(await readOrigin('timeout', '')).toEqual(['11', 'profile default'])
    expect(await readOrigin('timeout', '', env)).toEqual(['0.5', 'MEETROOM_TIMEOUT'])
    expect(await readOrigin('timeout', '--timeout 7', env)).toEqual(['7', '--timeout'])
  })

  test('config list resolves retries from the flag, the environment and the profile, in this order', async () => {
    const env = { MEETROOM_RETRIES: '0' }
    expect(await readOrigin('retries', '')).toEqual(['2', 'default'])
    store({ profiles: { default: profile } })
    expect(await readOrigin('retries', '')).toEqual(['11', 'profile default'])
    expect(await readOrigin('retries', '', env)).toEqual(['0', 'MEETROOM_RETRIES'])
    expect(await readOrigin('retries', '--retries 7', env)).toEqual(['7', '--retries'])
  })
})

test('rooms list sends requests to the configured base URL', async () => {
  store({ profiles: { default: { base_url: 'https://profile.test/v1' } } })
  const env = { MEETROOM_API_KEY: world.apiKey }
  await run('rooms list', env)
  await run('rooms list', { ...env, MEETROOM_BASE_URL: 'https://env.test/v1' })
  await run('rooms list --base-url https://flag.test/api/v1/', {
    ...env,
    MEETROOM_BASE_URL: 'https://env.test/v1',
  })
  expect(world.requests.map(({ url }) => url)).toEqual([
    'https://profile.test/v1/rooms',
    'https://env.test/v1/rooms',
    'https://flag.test/api/v1/rooms',
    // The service does not know the path above, so a probe request checks the base URL.
    'https://flag.test/api/v1/rooms?limit=1',
  ])
})

test('the setting output sets the format of results and errors', async () => {
  store({ profiles: { default: { base_url: baseUrl, output: 'json' } } })
  const env = { MEETROOM_API_KEY: world.apiKey }
  expect((await run('rooms list', env)).stdout).toBe(
    '{"rooms":[],"paging":{"limit":30,"offset":0,"total":0}}\n',
  )
  expect((await run('rooms list', { ...env, MEETROOM_OUTPUT: 'csv' })).stdout).toMatch(/^id,/)
  expect((await run('rooms list -o ids', { ...env, MEETROOM_OUTPUT: 'csv' })).stdout).toBe('')
  for (const { stderr, code } of [
    await run('rooms get nowhere --json', env),
    await run('rooms get nowhere', { ...env, MEETROOM_OUTPUT: 'ndjson' }),
    await run('rooms get nowhere', env),
  ]) {
    expect(code).toBe(3)
    expect(JSON.parse(stderr).error.code).toBe('not_found')
  }
  const { stderr } = await run('rooms get nowhere -o table', { ...env, MEETROOM_OUTPUT: 'json' })
  expect(stderr).toMatch(/^error: no such room: nowhere\n/)
})

test('the setting retries limits the retries of a failed request', async () => {
  store({ profiles: { default: { base_url: baseUrl, retries: 1 } } })
  const env = { MEETROOM_API_KEY: world.apiKey }
  world.intercept = async () => answer(503, {})
  const attempts = async (line: string, more = {}) => {
    world.requests.length = 0
    expect((await run(line, { ...env, ...more })).code).toBe(6)
    return world.requests.length
  }
  expect(await attempts('rooms list')).toBe(2)
  expect(await attempts('rooms list', { MEETROOM_RETRIES: '3' })).toBe(4)
  expect(await attempts('rooms list --retries 0', { MEETROOM_RETRIES: '3' })).toBe(1)
  await run('config unset retries')
  expect(await attempts('rooms list')).toBe(3)
})

test('the setting timeout limits the duration of a request including Retry-After pauses', async () => {
  store({ profiles: { default: { base_url: baseUrl, timeout: 5 } } })
  const env = { MEETROOM_API_KEY: world.apiKey }
  world.intercept = async (_, next) =>
    world.requests.length === 1 ? answer(503, {}, { 'retry-after': '10' }) : next()
  const code = async (line: string, more = {}) => {
    world.requests.length = 0
    return (await run(line, { ...env, ...more })).code
  }
  expect(await code('rooms list')).toBe(6)
  expect(await code('rooms list', { MEETROOM_TIMEOUT: '11' })).toBe(0)
  expect(await code('rooms list --timeout 10', { MEETROOM_TIMEOUT: '11' })).toBe(6)
  expect(await code('rooms list --timeout 10.5')).toBe(0)
})

test('the setting timeout accepts durations from a flag, the environment or a profile', async () => {
  const env = { MEETROOM_TIMEOUT: '1h' }
  const timeout = async (flags: string) => (await run(`config get timeout ${flags}`.trim(), env)).stdout
  expect(await timeout('')).toBe('3600\n')
  expect(await timeout('--timeout 1m30s')).toBe('90\n')
  expect(await timeout('--timeout 250ms')).toBe('0.25\n')
  await run('config set timeout 10m')
  expect((await run('config get timeout')).stdout).toBe('600\n')
  expect(stored().profiles.default.timeout).toBe(600)
})

test.each([
  [
    '--timeout 0',
    '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “0”',
  ],
  [
    '--timeout 86401',
    '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “86401”',
  ],
  [
    '--timeout 25h',
    '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “25h”',
  ],
  [
    '--timeout 1e3',
    '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “1e3”',
  ],
  [
    '--timeout=-1',
    '--timeout: the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “-1”',
  ],
  ['--retries 21', '--retries: the number of retries must be a whole number from 0 to 20, not “21”'],
  ['--retries x', '--retries: the number of retries must be a whole number from 0 to 20, not “x”'],
  ['--base-url meet.test/v1', '--base-url: the base URL is not a valid URL'],
  ['--base-url https://meet.test/v1?x=1', '--base-url: the base URL must not have a query or a fragment'],
  ['--json -o csv', '--json and --output csv cannot be used together'],
])('rooms list %s exits 2 before any request', async (flags, message) => {
  const { code, stdout, stderr } = await world.run(`rooms list ${flags}`)
  expect({
    code,
    stdout,
    line: stderr.split('\n')[0]?.replace(/^\{.*"message":"([^"]*)".*$/, 'error: $1'),
  }).toEqual({
    code: 2,
    stdout: '',
    line: `error: ${message}`,
  })
  expect(world.requests).toEqual([])
})

test.each([
  ['MEETROOM_OUTPUT', 'xml', 'the output format must be table, json, ndjson, csv, tsv or ids, not “xml”'],
  [
    'MEETROOM_TIMEOUT',
    'soon',
    'the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “soon”',
  ],
  ['MEETROOM_RETRIES', '-1', 'the number of retries must be a whole number from 0 to 20, not “-1”'],
  ['MEETROOM_BASE_URL', 'meet.test', 'the base URL is not a valid URL'],
])('rooms list with %s=%s exits 2 and names the variable', async (name, value, message) => {
  const { code, stdout, stderr } = await world.run('rooms list', { env: { [name]: value } })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toBe(`error: ${name}: ${message}`)
})

test('rooms list exits 2 and names the profile with an invalid setting', async () => {
  for (const [key, value] of Object.entries({ output: 'xml', timeout: -1, retries: {}, base_url: 7 })) {
    store({ profiles: { default: { [key]: value } } })
    const { code, stdout, stderr } = await run('rooms list')
    expect({ code, stdout }, key).toEqual({ code: 2, stdout: '' })
    expect(stderr, key).toMatch(/^error: profile default: /)
    expect((await run(`config unset ${key}`)).code, key).toBe(0)
    expect(stored(), key).toEqual({ profiles: { default: {} } })
  }
})

test('config list shows the default timeout if MEETROOM_TIMEOUT is empty', async () => {
  const env = { MEETROOM_OUTPUT: '', MEETROOM_TIMEOUT: '', MEETROOM_RETRIES: '', MEETROOM_PROFILE: '' }
  expect(await readOrigin('timeout', '', env)).toEqual(['30', 'default'])
})

test('config list shows the effective settings', async () => {
  expect(await world.run('config list')).toMatchObject({
    code: 0,
    stdout:
      'KEY           VALUE\n' +
      '────────────  ────────────────────\n' +
      'profile       default\n' +
      'base_url      https://meet.test/v1\n' +
      'api_key       set\n' +
      'output        table\n' +
      'timeout       30\n' +
      'retries       2\n' +
      'audit_log\n' +
      'save_deleted\n' +
      'join_url\n' +
      'replay_url\n' +
      'time_zone     UTC\n',
    stderr: '',
  })
})

test('config list --show-origin prints the origin of each setting', async () => {
  store({
    profile: 'staging',
    profiles: {
      staging: { base_url: baseUrl, api_key: 'secret', api_key_origin: 'https://meet.test', timeout: 5 },
    },
  })
  expect(
    await run('config list --show-origin --no-header --retries 3', { MEETROOM_OUTPUT: 'table' }),
  ).toMatchObject({
    code: 0,
    stdout:
      'profile       staging               settings file\n' +
      'base_url      https://meet.test/v1  profile staging\n' +
      'api_key       set                   profile staging\n' +
      'output        table                 MEETROOM_OUTPUT\n' +
      'timeout       5                     profile staging\n' +
      'retries       3                     --retries\n' +
      'audit_log\n' +
      'save_deleted\n' +
      'join_url\n' +
      'replay_url\n' +
      'time_zone     UTC                   default\n',
    stderr: '',
  })
  const { stdout } = await run('config list --show-origin --json')
  expect(JSON.parse(stdout).settings[4]).toEqual({ key: 'timeout', value: 5, origin: 'profile staging' })
})

test('config list --show-origin --local prints the origins of the local settings', async () => {
  expect((await world.run('config list --show-origin --no-header --local')).stdout).toBe(
    'profile       local                      --local\n' +
      'base_url\n' +
      'api_key       created for the workspace  workspace\n' +
      'output        table                      default\n' +
      'timeout       30                         default\n' +
      'retries       2                          default\n' +
      'audit_log\n' +
      'save_deleted\n' +
      'join_url\n' +
      'replay_url\n' +
      'time_zone     UTC                        default\n',
  )
})

test('config ls is an alias of config list', async () => {
  expect((await world.run('config ls -o ids')).stdout).toBe(
    'profile\nbase_url\napi_key\noutput\ntimeout\nretries\naudit_log\nsave_deleted\njoin_url\nreplay_url\ntime_zone\n',
  )
})

test('config get prints one setting or exits 3 if the setting is not set', async () => {
  expect(await world.run('config get base_url')).toMatchObject({
    code: 0,
    stdout: `${baseUrl}\n`,
    stderr: '',
  })
  expect(await world.run('config get timeout --timeout 2.5')).toMatchObject({ code: 0, stdout: '2.5\n' })
  expect(await world.run('config get timeout --json')).toMatchObject({
    code: 0,
    stdout: '{"key":"timeout","value":30,"origin":"default"}\n',
  })
  expect(await world.run('config get api_key')).toMatchObject({
    code: 0,
    stdout: 'set\n',
    stderr: 'the key itself is never printed\n',
  })
  expect(await run('config get base_url')).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'error: base_url is not set\n',
  })
})

test('config set and config unset change the current profile', async () => {
  await run('config set timeout 2.5')
  await run('config set retries 0')
  await run('config set output csv')
  await run('config set base_url https://meet.test/v1/')
  expect(stored()).toEqual({
    profiles: { default: { timeout: 2.5, retries: 0, output: 'csv', base_url: 'https://meet.test/v1' } },
  })
  expect((await run('config get timeout')).stdout).toBe('2.5\n')
  for (const key of ['timeout', 'retries', 'base_url', 'output'])
    expect(await run(`config unset ${key}`)).toMatchObject({ code: 0, stdout: '' })
  expect(stored()).toEqual({ profiles: { default: {} } })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(world.configDir).mode & 0o777).toBe(0o700)
})

test('config set keeps the mode of an existing settings directory', async () => {
  mkdirSync(world.configDir)
  chmodSync(world.configDir, 0o755)
  expect(await run('config set timeout 5')).toMatchObject({ code: 0 })
  expect(statSync(world.configDir).mode & 0o777).toBe(0o755)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('config set changes the profile selected by --profile or MEETROOM_PROFILE', async () => {
  store({ profile: 'a', profiles: { a: {}, b: {}, c: {} } })
  await run('config set timeout 1')
  await run('config set timeout 2 --profile b')
  await run('config set timeout 3', { MEETROOM_PROFILE: 'c' })
  expect(stored()).toEqual({
    profile: 'a',
    profiles: { a: { timeout: 1 }, b: { timeout: 2 }, c: { timeout: 3 } },
  })
  await run('config unset timeout --profile b')
  expect(stored().profiles.b).toEqual({})
})

test('config set changes the current profile even if MEETROOM_API_KEY and MEETROOM_BASE_URL are set', async () => {
  store({ profile: 'a', profiles: { a: {} } })
  await world.run('config set timeout 1')
  expect(stored().profiles.a).toEqual({ timeout: 1 })
})

test('config unset exits 0 if the profile does not contain the setting', async () => {
  expect(await run('config unset timeout')).toMatchObject({ code: 0, stdout: '' })
})

test.each([
  ['config set output xml', 'the output format must be table, json, ndjson, csv, tsv or ids, not “xml”'],
  [
    'config set timeout 0',
    'the timeout must be a duration such as 30s or 1m30s, above 0 and at most 24h, not “0”',
  ],
  ['config set retries 2.5', 'the number of retries must be a whole number from 0 to 20, not “2.5”'],
  ['config set base_url meet', 'the base URL is not a valid URL'],
  [
    'config set base_url https://u:hunter2@meet.test',
    'the base URL must not contain a user name or password',
  ],
  [
    'config set colour red',
    'no such setting: “colour”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
  [
    'config set __proto__ x',
    'no such setting: “__proto__”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
  [
    'config unset constructor',
    'no such setting: “constructor”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
  [
    'config get toString',
    'no such setting: “toString”; settings are profile, base_url, api_key, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
  [
    'config set profile staging',
    'no such setting: “profile”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
  [
    'config set api_key hunter2',
    'a key cannot be passed as an argument, because other accounts of this machine can see arguments',
  ],
  [
    'config unset api_key',
    'no such setting: “api_key”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone',
  ],
])('“meetroom %s” exits 2 and creates no settings file', async (line, message) => {
  const { code, stdout, stderr } = await run(line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toBe(`error: ${message}`)
  expect(stderr).not.toContain('hunter2')
  expect(existsSync(file)).toBe(false)
})

test.each(['audit_log', 'save_deleted'])('config set %s rejects an empty path', async (name) => {
  expect(await world.run(['config', 'set', name, ''])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`error: ${name} must be absolute, not “”\n`),
  })
  expect(existsSync(file)).toBe(false)
})

test('config set audit_log in a missing directory suggests mkdir -p', async () => {
  expect(await run('config set audit_log /nowhere/logs/audit.log')).toMatchObject({
    code: 2,
    stderr: 'error: the directory /nowhere/logs does not exist\nhint: run: mkdir -p /nowhere/logs\n',
  })
})

test('config unset api_key suggests auth logout', async () => {
  expect((await run('config unset api_key')).stderr).toBe(
    'error: no such setting: “api_key”; settings are base_url, output, timeout, retries, audit_log, save_deleted, join_url, replay_url, time_zone\nhint: delete the key with: meetroom auth logout\n',
  )
})

test.each(['--dry-run', '--curl'])(
  'config set and config unset with %s keep the stored settings',
  async (flag) => {
    store({ profiles: { default: { retries: 1 } } })
    await run(`config set timeout 5 ${flag}`)
    await run(`config unset retries ${flag}`)
    expect(stored()).toEqual({ profiles: { default: { retries: 1 } } })
  },
)

test('config path prints the path of the settings file even if the file does not exist', async () => {
  expect(await run('config path')).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' })
  expect(existsSync(file)).toBe(false)
  expect(await run('config path', { MEETROOM_CONFIG_DIR: '' })).toMatchObject({
    code: 0,
    stdout: '/proc/nonexistent/config/config.json\n',
  })
})

test('config and profiles commands omit the stored key from their output', async () => {
  store({
    profiles: { default: { base_url: baseUrl, api_key: world.apiKey, api_key_origin: 'https://meet.test' } },
  })
  for (const line of [
    'config list',
    'config list --show-origin',
    'config list --show-origin --json',
    'config list -o csv',
    'config list -o ids --verbose',
    'config get api_key',
    'config get api_key --json',
    'config get api_key_origin',
    'config set timeout 1 --verbose',
    'config unset timeout',
    'config path',
    'profiles list --json',
    'profiles list --columns name,api_key',
    'profiles use default',
  ])
    for (const env of [bare, {}]) {
      const { stdout, stderr } = await world.run(line, { env })
      expect(stdout + stderr, line).not.toContain(world.apiKey)
    }
})

describe('the settings file', () => {
  const broken = [
    '{',
    '[]',
    'null',
    '"x"',
    '{"profiles":[]}',
    '{"profiles":{"a":1}}',
    '{"profile":{}}',
    '\u0000',
    '',
  ]
  const commands = [
    'rooms list',
    'auth status',
    'auth logout',
    `auth login --with-token --base-url ${baseUrl}`,
    'profiles list',
    'profiles use local',
    'profiles remove a --yes',
    'config list',
    'config get timeout',
    'config set timeout 5',
    'config unset timeout',
  ]

  test.each(broken)('commands exit 2 for a settings file with the invalid content %j', async (text) => {
    store(text)
    for (const line of commands) {
      const { code, stdout, stderr } = await world.run(line, { env: bare, stdin: world.apiKey })
      expect({ code, stdout, stderr }, line).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: ${file} is not a valid settings file\n` +
          'hint: fix the file, or move it away and log in again\n',
      })
      expect(readFileSync(file, 'utf8'), line).toBe(text)
    }
    expect(world.requests).toEqual([])
  })

  test('rooms list exits 2 if the settings file is a directory', async () => {
    mkdirSync(file, { recursive: true })
    expect(await run('rooms list')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: the settings file ${file} is not a regular file\n`,
    })
  })

  test('rooms list and config set exit 2 if the settings file is a named pipe', async () => {
    mkdirSync(world.configDir)
    execFileSync('mkfifo', [file])
    for (const line of ['rooms list', 'config set timeout 5'])
      expect(await run(line)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: `error: the settings file ${file} is not a regular file\n`,
      })
    expect(await run('--local rooms list')).toMatchObject({ code: 0 })
  })

  test.each(['true', 1, 0, null, '', 'false', {}])(
    'rooms list exits 2 if “protected” of another profile is %j',
    async (value) => {
      store({ profiles: { default: { base_url: baseUrl }, production: { protected: value } } })
      for (const line of ['rooms list', 'users create ada', 'config set timeout 5'])
        expect(await run(line)).toMatchObject({
          code: 2,
          stdout: '',
          stderr: `error: the settings file ${file} is damaged: “protected” of profile production must be true or false, not ${JSON.stringify(value)}\nhint: set “protected” of profile production to true or false\n`,
        })
      expect(await world.run('users create ada')).toMatchObject({ code: 2 })
      expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    },
  )

  test('rooms list and config set exit 2 if another account owns the settings file', async () => {
    store({ profiles: { default: { retries: 7 } } })
    const uid = 4711
    if (process.getuid?.() === 0) chownSync(file, 4712, 4712)
    const { uid: owner } = statSync(file)
    for (const line of ['rooms list', 'config set timeout 5'])
      expect(await world.run(line, { env: bare, uid })).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          `error: the settings file ${file} belongs to another account of this machine (uid ${owner})\n` +
          'hint: use a file that belongs to you or to root, because its owner controls your key\n',
      })
    expect(await world.run('config get retries', { env: bare, uid: owner })).toMatchObject({
      stdout: '7\n',
    })
  })

  test.runIf(process.getuid?.() === 0)('config get accepts a settings file owned by root', async () => {
    store({ profiles: { default: { retries: 7 } } })
    expect(await world.run('config get retries', { env: bare, uid: 4711 })).toMatchObject({ stdout: '7\n' })
  })

  test('config set updates the target of a symbolic link to the settings file', async () => {
    store({ profiles: { default: { retries: 7 } } })
    renameSync(file, join(world.dir, 'dotfile.json'))
    symlinkSync(join(world.dir, 'dotfile.json'), file)
    expect((await run('config get retries')).stdout).toBe('7\n')
    expect(await run('config set timeout 5')).toMatchObject({ code: 0 })
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(JSON.parse(readFileSync(join(world.dir, 'dotfile.json'), 'utf8'))).toEqual({
      profiles: { default: { retries: 7, timeout: 5 } },
    })
  })

  test('rooms list ignores an invalid settings file if the environment sets the key and base URL', async () => {
    store('{')
    expect(await world.run('rooms list -o ids')).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await world.run('auth status --json')).toMatchObject({ code: 0, stderr: '' })
    expect(await world.run(`rooms list -o ids --base-url ${baseUrl}`)).toMatchObject({ code: 0, stderr: '' })
    expect((await world.run('rooms list --profile default')).code).toBe(2)
  })

  test('config path ignores an invalid settings file', async () => {
    store('{')
    expect(await run('config path')).toMatchObject({ code: 0, stdout: `${file}\n`, stderr: '' })
  })

  test.each([
    'help',
    'help rooms',
    'help rooms list',
    'help exit-codes',
    '--help',
    'rooms --help',
    '--version',
  ])('“meetroom %s” ignores an invalid settings file', async (line) => {
    store('{')
    expect(await run(line)).toMatchObject({ code: 0, stderr: '' })
  })
})

test('config set keeps unknown settings', async () => {
  store({ future: 1, profiles: { default: { future: { x: 1 } } } })
  await run('config set timeout 5')
  expect(stored()).toEqual({ future: 1, profiles: { default: { future: { x: 1 }, timeout: 5 } } })
})

describe('the lock file of the settings file', () => {
  const lock = () => `${file}.lock`
  beforeEach(() => store({ profiles: { default: { retries: 7 } } }))

  test('config set waits for the settings lock and keeps the changes of the lock holder', async () => {
    writeFileSync(lock(), `${testPid + 1}\n`)
    const { host, done } = world.start(['config', 'set', 'timeout', '5'], { env: bare })
    const { sleep } = host
    host.sleep = async (ms, signal) => {
      if (host.slept.length === 3) {
        store({ profiles: { default: { retries: 8 }, other: {} } })
        rmSync(lock())
      }
      return sleep(ms, signal)
    }
    expect(await done).toMatchObject({ code: 0, stderr: '' })
    expect(stored()).toEqual({ profiles: { default: { retries: 8, timeout: 5 }, other: {} } })
    expect(readdirSync(world.configDir)).toEqual(['config.json'])
  })

  test('config set exits 74 if another process holds the settings lock for five seconds', async () => {
    writeFileSync(lock(), `${testPid + 1}\n`)
    const { code, stdout, stderr, host } = await run('config set timeout 5')
    expect({ code, stdout, stderr }).toEqual({
      code: 74,
      stdout: '',
      stderr:
        `error: the settings in ${world.configDir} are in use (process ${testPid + 1}); nothing was stored\n` +
        `hint: retry the command; if that process does not exist, delete ${lock()}\n`,
    })
    const waited = host.slept.reduce((sum, ms) => sum + ms, 0)
    expect(waited).toBeGreaterThanOrEqual(5000)
    expect(waited).toBeLessThan(5100)
    expect(stored()).toEqual({ profiles: { default: { retries: 7 } } })
    expect(readFileSync(lock(), 'utf8')).toBe(`${testPid + 1}\n`)
  })

  test.each(['999999999\n', 'nobody\n', ''])(
    'config set replaces a stale settings lock with the content %j',
    async (left) => {
      writeFileSync(lock(), left)
      expect(await run('config set timeout 5')).toMatchObject({ code: 0 })
      expect(stored()).toEqual({ profiles: { default: { retries: 7, timeout: 5 } } })
      expect(readdirSync(world.configDir)).toEqual(['config.json'])
    },
  )

  test('config get reads a setting without waiting for the settings lock', async () => {
    writeFileSync(lock(), `${testPid + 1}\n`)
    const { stdout, host } = await run('config get retries')
    expect({ stdout, slept: host.slept }).toEqual({ stdout: '7\n', slept: [] })
  })
})

test('config set exits 74 if the settings directory cannot be created', async () => {
  writeFileSync(join(world.dir, 'file'), '')
  const { code, stdout, stderr } = await run('config set timeout 5', {
    MEETROOM_CONFIG_DIR: join(world.dir, 'file', 'sub'),
  })
  expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
  expect(stderr).toBe(
    `error: the settings cannot be stored in ${join(world.dir, 'file', 'sub')}: a part of the path is not a directory\n` +
      'hint: choose another directory with MEETROOM_CONFIG_DIR\n',
  )
})
