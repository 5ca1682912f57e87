import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { TransportError } from '../../../../src/api/wire.ts'
import { aboutKey, fingerprint, storedAt } from '../../../helpers/login.ts'
import { answer, baseUrl, createWorld, type World } from '../../../helpers/world.ts'

let world: World
let file: string
beforeEach(async () => {
  world = await createWorld()
  file = join(world.configDir, 'config.json')
})

const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
const plain = { ...bare, NO_COLOR: '1' }

const stored = () => JSON.parse(readFileSync(file, 'utf8'))
function store(config: object): void {
  mkdirSync(world.configDir, { recursive: true })
  writeFileSync(file, JSON.stringify(config))
}

const logIn = (flags = '') =>
  world.run(`auth login --with-token --base-url ${baseUrl} ${flags}`.trim(), {
    stdin: `${world.apiKey}\n`,
    env: bare,
  })

const loggedIn = () => ({
  profiles: {
    default: {
      base_url: baseUrl,
      api_key: world.apiKey,
      api_key_stored_at: storedAt,
      api_key_origin: 'https://meet.test',
    },
  },
  profile: 'default',
})

/** Returns the settings without the login time, as earlier versions stored them. */
const withoutTime = () =>
  JSON.parse(JSON.stringify(loggedIn(), (name, value) => (name === 'api_key_stored_at' ? undefined : value)))

test('auth login verifies and stores the key from the prompt', async () => {
  const { host, done } = world.start(['auth', 'login', '--base-url', baseUrl], { tty: true, env: plain })
  setImmediate(() => host.type(`${world.apiKey}\n`))
  const { code, stdout, stderr } = await done
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(stderr).toContain('API key for https://meet.test:')
  expect(stderr).toContain('logged in to https://meet.test as profile default\n')
  expect(stderr).not.toContain(world.apiKey)
  expect(stored()).toEqual(loggedIn())
  expect(world.requests).toMatchObject([
    { method: 'GET', url: `${baseUrl}/rooms?limit=1`, headers: { authorization: `Bearer ${world.apiKey}` } },
  ])
})

test('auth login hides the typed key', async () => {
  const { host, done } = world.start(['auth', 'login', '--base-url', baseUrl], { tty: true, env: plain })
  setImmediate(() => {
    for (const character of `${world.apiKey}\n`) host.type(character)
  })
  const { stderr } = await done
  for (let i = 0; i + 6 <= world.apiKey.length; i++)
    expect(stderr).not.toContain(world.apiKey.slice(i, i + 6))
})

test('auth login --with-token reads the key from stdin', async () => {
  expect(await logIn()).toMatchObject({
    code: 0,
    stdout: '',
    stderr: `logged in to https://meet.test as profile default\n${aboutKey(world.apiKey)}`,
  })
  expect(stored()).toEqual(loggedIn())
})

test('a command after auth login sends the stored key to the stored base URL', async () => {
  await logIn()
  world.requests.length = 0
  expect(await world.run('rooms list -o ids', { env: bare })).toMatchObject({ code: 0, stderr: '' })
  expect(world.requests).toMatchObject([
    { url: `${baseUrl}/rooms`, headers: { authorization: `Bearer ${world.apiKey}` } },
  ])
})

test('auth login accepts the base URL as an argument', async () => {
  const run = (line: string) => world.run(line, { stdin: world.apiKey, env: bare })
  expect(await run(`auth login ${baseUrl} --with-key`)).toMatchObject({ code: 0 })
  expect(stored()).toEqual(loggedIn())
  expect((await run('auth login https://staging.test/v1 --with-key')).stderr).toContain(
    'meetroom auth login --profile default --base-url https://staging.test/v1 --with-key --replace < key.txt',
  )
})

test('auth login --profile adds a profile without switching to it', async () => {
  await logIn()
  expect(await logIn('--profile staging')).toMatchObject({
    code: 0,
    stderr: `logged in to https://meet.test as profile staging\n${aboutKey(world.apiKey)}`,
  })
  expect(stored().profile).toBe('default')
  expect(Object.keys(stored().profiles)).toEqual(['default', 'staging'])
})

test('auth login --replace keeps data_dir only if the base URL is the same', async () => {
  const served = {
    base_url: baseUrl,
    api_key: 'old-key-of-20-characters',
    api_key_origin: 'https://meet.test',
    data_dir: '/data',
  }
  const dirAfter = async (base_url: string) => {
    store({ profiles: { default: { ...served, base_url } } })
    expect((await logIn('--replace')).code).toBe(0)
    return stored().profiles.default.data_dir
  }
  await logIn()
  expect(await dirAfter(baseUrl)).toBe('/data')
  expect(await dirAfter('https://other.test/v1')).toBe(undefined)
})

test('auth login stores the key in the profile with the given base URL', async () => {
  await logIn('--profile staging')
  await world.run('profiles use local', { env: bare })
  const { code, stderr } = await logIn()
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('as profile staging\n') })
})

test('auth login stores the key in the profile of MEETROOM_PROFILE or else in the current profile', async () => {
  await logIn('--profile staging')
  expect((await logIn()).stderr).toContain('logged in to https://meet.test as profile staging\n')
  const other = await world.run(`auth login --with-token --base-url ${baseUrl}`, {
    stdin: world.apiKey,
    env: { ...bare, MEETROOM_PROFILE: 'other' },
  })
  expect(other).toMatchObject({ code: 0, stderr: expect.stringContaining('as profile other\n') })
  expect(Object.keys(stored().profiles)).toEqual(['staging', 'other'])
})

test('auth login to an existing profile keeps the base URL and the other settings', async () => {
  store({
    profiles: {
      default: { base_url: baseUrl, output: 'csv', timeout: 5, api_key: 'old', api_key_origin: 'x' },
    },
  })
  const run = await world.run('auth login --with-token', { stdin: world.apiKey, env: bare })
  expect(run.code).toBe(0)
  expect(stored().profiles.default).toEqual({
    base_url: baseUrl,
    output: 'csv',
    timeout: 5,
    api_key: world.apiKey,
    api_key_stored_at: storedAt,
    api_key_origin: 'https://meet.test',
  })
})

test('auth login creates an owner-only settings file and directory', async () => {
  await logIn()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(world.configDir).mode & 0o777).toBe(0o700)
})

test('auth login to a base URL without /v1 reports the status of the first failed request', async () => {
  world.intercept = async ({ url }) => answer(url.includes('/v1/') ? 422 : 404, '<p>no</p>')
  const { code, stderr } = await world.run('auth login --with-key --json --base-url https://meet.test', {
    stdin: world.apiKey,
    env: bare,
  })
  expect({ code, error: JSON.parse(stderr).error }).toMatchObject({
    code: 6,
    error: { message: 'https://meet.test does not respond as a Meeting Room Service', status: 404 },
  })
})

test('auth login changes the mode of an existing settings file to 0600', async () => {
  mkdirSync(world.configDir, { mode: 0o755 })
  writeFileSync(file, '{}', { mode: 0o644 })
  await logIn()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(statSync(world.configDir).mode & 0o777).toBe(0o755)
})

test('auth login exits 4 and stores no key if the service rejects the key', async () => {
  const run = await world.run(`auth login --with-token --base-url ${baseUrl}`, {
    stdin: 'wrong-key-1234',
    env: bare,
  })
  expect(run).toMatchObject({
    code: 4,
    stdout: '',
    stderr: 'error: https://meet.test refuses this key; nothing was stored\n',
  })
  expect(existsSync(file)).toBe(false)
})

test('auth login keeps the stored key if the service rejects the new key', async () => {
  await logIn()
  expect((await world.run('auth login --with-token', { stdin: 'wrong-key-1234', env: bare })).code).toBe(4)
  expect(stored()).toEqual(loggedIn())
})

test('auth login stores no key if the service does not respond or responds with HTML', async () => {
  world.intercept = async () => {
    throw new TransportError('connection refused', false)
  }
  expect(await logIn('--retries 0')).toMatchObject({
    code: 5,
    stdout: '',
    stderr:
      'error: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  })
  world.intercept = async () => answer(200, '<html>', { 'content-type': 'text/html' })
  expect(await logIn()).toMatchObject({ code: 6, stdout: '' })
  expect(existsSync(file)).toBe(false)
})

test('auth login redacts the key in an error message of the service', async () => {
  world.intercept = async () => answer(500, { error: { message: `no such key: ${world.apiKey}` } })
  for (const flags of ['', '--json', '--verbose']) {
    const { code, stdout, stderr } = await logIn(flags)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('no such key: [API key]')
    expect(stderr).not.toContain(world.apiKey)
  }
})

test('auth login rejects a malformed key before any request', async () => {
  for (const [key, surplus] of [
    ['two words', 'a space or a line break'],
    ['four\nfour', 'a space or a line break'],
    ['"abcdefgh"', 'quotes'],
    ['“abcdefgh”', 'quotes'],
    ['Bearer abcdefgh', 'the word “Bearer”'],
    ['ключ-ключ', ''],
  ] as const) {
    const { code, stdout, stderr } = await world.run(`auth login --with-token --base-url ${baseUrl}`, {
      stdin: key,
      env: bare,
    })
    expect({ code, stdout }, key).toEqual({ code: 4, stdout: '' })
    expect(stderr, key).toContain(
      surplus
        ? `error: standard input must contain only the key, but contains ${surplus}\nhint: write only the key to the file key.txt, then run: meetroom auth login --with-key --base-url https://meet.test/v1 < key.txt\n`
        : 'error: the API key contains a character that is not allowed in a key\nhint: store the key again',
    )
    expect(stderr, key).not.toContain(key)
  }
  expect(world.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['auth login --with-token', '', 'no base URL to log in to'],
  [`auth login --with-token --base-url ${baseUrl}`, ' \n', 'the key is empty'],
  ['auth login --with-token --base-url meet.test', 'k', 'the base URL is not a valid URL'],
  [
    `auth login ${baseUrl} --with-token --base-url ${baseUrl}`,
    'k',
    'the base URL is given twice, as an argument and with --base-url',
  ],
  ['auth login staging --with-token', 'k', 'auth login takes a base URL as its argument'],
  [
    'auth login --with-token --base-url ftp://meet.test',
    'k',
    'the base URL must begin with https:// or http://, not “ftp:”',
  ],
  [
    'auth login --with-token --base-url https://u:secret@meet.test',
    'k',
    'the base URL must not contain a user name or password',
  ],
  [
    'auth login --with-token --base-url http://meet.test/v1',
    'k',
    'plain http would send the key unencrypted to http://meet.test',
  ],
  [`auth login --with-token --local`, 'k', 'the local workspace needs no key'],
  [`auth login --with-token --profile local`, 'k', 'the local workspace needs no key'],
  [
    `auth login --with-token --profile __proto__ --base-url ${baseUrl}`,
    'k',
    '“__proto__” is not a valid profile name: use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
  ],
])('“meetroom %s” with the input %j exits 2 before any request', async (line, stdin, message) => {
  const { code, stdout, stderr } = await world.run(line, { stdin, env: bare })
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]).toBe(`error: ${message}`)
  expect(stderr).not.toContain('secret')
  expect(world.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test.each([
  ['http://meet.test/v1', 'https://meet.test/v1 --with-token'],
  ['--base-url http://meet.test/v1', '--with-token --base-url https://meet.test/v1'],
])('auth login %s --with-token exits 2 and suggests %s', async (given, meant) => {
  const { code, stderr } = await world.run(`auth login ${given} --with-token`, { stdin: 'k', env: bare })
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr:
      'error: plain http would send the key unencrypted to http://meet.test\n' +
      `hint: did you mean: meetroom auth login ${meant}\n`,
  })
})

test('auth login accepts plain HTTP for a loopback address', async () => {
  const run = await world.run('auth login --with-token --base-url http://127.0.0.1:4680/v1/', {
    stdin: world.apiKey,
    env: bare,
  })
  expect(run).toMatchObject({ code: 0 })
  expect(stored().profiles.default).toMatchObject({
    base_url: 'http://127.0.0.1:4680/v1',
    api_key_origin: 'http://127.0.0.1:4680',
  })
})

test('auth login without a terminal exits 2 with a hint to use --with-key', async () => {
  for (const flag of ['', ' --replace'])
    expect(await world.run(`auth login --base-url ${baseUrl}${flag}`, { env: bare })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `error: logging in needs a key, and there is no terminal for a prompt\nhint: write only the key to the file key.txt, then run: meetroom auth login --with-key${flag} --base-url https://meet.test/v1 < key.txt\n`,
    })
})

test('auth login without a terminal names the profile of the base URL in its hint, not the profile in use', async () => {
  await world.run(`auth login --with-key --base-url ${baseUrl} --profile first`, {
    stdin: world.apiKey,
    env: bare,
  })
  await world.run('config set base_url https://other.test/v1 --profile second', { env: bare })
  await world.run('profiles use second', { env: bare })
  const { stderr } = await world.run(`auth login ${baseUrl}`, { env: bare })
  expect(stderr).toContain(
    'auth login --profile first --with-key --base-url https://meet.test/v1 < key.txt\n',
  )
})

test('auth login exits 130 and stores no key after ^C at the prompt', async () => {
  const { host, done } = world.start(['auth', 'login', '--base-url', baseUrl], { tty: true, env: plain })
  setImmediate(() => host.type('\x03'))
  expect((await done).code).toBe(130)
  expect(existsSync(file)).toBe(false)
})

test('auth login prints a notice if MEETROOM_API_KEY is set', async () => {
  expect(await world.run('auth login --with-token', { stdin: world.apiKey })).toMatchObject({
    code: 0,
    stderr: `logged in to https://meet.test as profile default\n${aboutKey(world.apiKey)}MEETROOM_API_KEY in the environment takes precedence over the stored key\n`,
  })
})

test('auth login --dry-run stores no key', async () => {
  await logIn('--dry-run')
  expect(existsSync(file)).toBe(false)
})

test('auth login --curl sends no request and stores no key', async () => {
  await logIn('--curl')
  expect(world.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test('auth status --curl sends no request', async () => {
  await world.run('auth status --curl')
  expect(world.requests).toEqual([])
})

test('rooms list --api-key exits 2 and omits the key from the error', async () => {
  const { code, stdout, stderr } = await world.run('rooms list --api-key=s3cr3t')
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain('error: a key cannot be passed as an argument')
  expect(stderr).not.toContain('s3cr3t')
})

test('rooms list exits 4 if the stored key belongs to another origin than the base URL', async () => {
  await logIn()
  world.requests.length = 0
  for (const [url, origin, name] of [
    ['https://evil.test/v1', 'https://evil.test', 'evil.test'],
    ['https://meet.test.evil.test/v1', 'https://meet.test.evil.test', 'meet.test.evil.test'],
    ['https://meet.test:8443/v1', 'https://meet.test:8443', 'meet.test'],
    ['http://meet.test/v1', 'http://meet.test', 'meet.test'],
  ]) {
    const refusal = (hint: string) => ({
      code: 4,
      stdout: '',
      stderr: `error: the key of profile default belongs to https://meet.test and is not sent to ${origin}\nhint: ${hint}\n`,
    })
    const login = `log in to that service with: meetroom auth login --profile ${name} --base-url ${url}`
    const corrected = 'did you mean: meetroom rooms list --base-url https://meet.test/v1 --profile default'
    expect(await world.run(`rooms list --base-url ${url}`, { env: bare })).toMatchObject(
      refusal(origin === 'http://meet.test' ? corrected : login),
    )
    expect(await world.run('rooms list', { env: { ...bare, MEETROOM_BASE_URL: url } })).toMatchObject(
      refusal(login),
    )
  }
  expect(world.requests).toEqual([])
})

test('rooms list without a key for the base URL suggests a profile with such a key', async () => {
  await logIn('--profile school')
  const { school } = stored().profiles
  const other = { ...school, base_url: 'https://other.test/v1', api_key_origin: 'https://other.test' }
  const hint =
    'hint: use profile school, which has a key for this service: meetroom rooms list --profile school --base-url https://meet.test/v1\n'
  for (const [profile, reason] of [
    [other, 'the key of profile other belongs to https://other.test and is not sent to https://meet.test'],
    [{ base_url: 'https://other.test/v1' }, 'no API key'],
  ])
    for (const [key, empty] of [
      [undefined, ''],
      ['', '; MEETROOM_API_KEY is empty'],
      [' \n', '; MEETROOM_API_KEY is empty'],
    ]) {
      store({ profile: 'other', profiles: { other: profile, school } })
      const env = { MEETROOM_API_KEY: key, MEETROOM_BASE_URL: baseUrl }
      expect(await world.run('rooms list', { env })).toMatchObject({
        code: 4,
        stderr: `error: ${reason}${empty}\n${hint}`,
      })
      expect(await world.run('rooms list --profile school -o ids', { env })).toMatchObject({ code: 0 })
    }
})

test.each([
  ['contains a password', 'https://ada:s3cr3t@meet.test/v1'],
  ['is for another service', 'https://other.test/v1'],
  ['is a number', 5],
])('the hint to use a profile includes --base-url if the stored base URL %s', async (_, base_url) => {
  await logIn('--profile school')
  const { school } = stored().profiles
  store({ profiles: { school: { ...school, base_url } } })
  expect(await world.run(`rooms list --base-url ${baseUrl}`, { env: bare })).toMatchObject({
    code: 4,
    stderr:
      'error: no API key\nhint: use profile school, which has a key for this service: meetroom rooms list --profile school --base-url https://meet.test/v1\n',
  })
})

test('rooms list suggests an http base URL if a loopback service does not support TLS', async () => {
  world.intercept = async () => {
    throw new TransportError('the service does not speak TLS on this port', false, false)
  }
  const hintOf = async (line: string, url: string) => {
    const { code, stderr } = await world.run(line, { stdin: world.apiKey, env: { MEETROOM_BASE_URL: url } })
    expect(code, line).toBe(5)
    return stderr.split('\n')[1]
  }
  const local = 'https://127.0.0.1:4690/v1'
  const login = 'auth login --with-key --profile new'
  expect(await hintOf(`${login} --base-url ${local}`, '')).toBe(
    'hint: did you mean: meetroom auth login --with-key --profile new --base-url http://127.0.0.1:4690/v1',
  )
  expect(await hintOf(`rooms list --base-url ${local}`, '')).toBe(
    'hint: did you mean: meetroom rooms list --base-url http://127.0.0.1:4690/v1',
  )
  expect(await hintOf('rooms list', local)).toBe('hint: did you mean “http://127.0.0.1:4690/v1”?')
  expect(await hintOf('rooms list', 'https://meet.test:4690/v1')).toBe(
    'hint: find the cause with: meetroom doctor --base-url https://meet.test:4690/v1',
  )
})

test('rooms list sends the stored key to another path of the same origin', async () => {
  await logIn()
  world.requests.length = 0
  await world.run('rooms list --base-url https://meet.test/v2', { env: bare })
  expect(world.requests[0]).toMatchObject({
    url: 'https://meet.test/v2/rooms',
    headers: { authorization: `Bearer ${world.apiKey}` },
  })
})

test('rooms list exits 4 after config set changes the origin of the base URL', async () => {
  await logIn()
  world.requests.length = 0
  await world.run('config set base_url https://evil.test/v1', { env: bare })
  expect(await world.run('rooms list', { env: bare })).toMatchObject({ code: 4, stdout: '' })
  expect(world.requests).toEqual([])
})

test('rooms list refuses to send a stored key over plain HTTP', async () => {
  store({
    profiles: {
      default: { base_url: 'http://meet.test/v1', api_key: world.apiKey, api_key_origin: 'http://meet.test' },
    },
  })
  expect(await world.run('rooms list', { env: bare })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: 'error: the stored key is not sent over plain http to meet.test\nhint: use an https base URL\n',
  })
  expect(world.requests).toEqual([])
})

test('rooms list prints a warning if it sends MEETROOM_API_KEY over plain HTTP', async () => {
  expect(
    await world.run('rooms list -o ids', { env: { MEETROOM_BASE_URL: 'http://meet.test/v1' } }),
  ).toMatchObject({
    code: 0,
    stderr: 'warning: the API key is sent unencrypted to meet.test; use https\n',
  })
})

test('MEETROOM_API_KEY takes precedence over the stored key', async () => {
  await logIn()
  world.requests.length = 0
  expect(
    await world.run('rooms list -o ids', { env: { ...bare, MEETROOM_API_KEY: 'from-env' } }),
  ).toMatchObject({ code: 4 })
  expect(world.requests[0]?.headers['authorization']).toBe('Bearer from-env')
})

test.each(['\n', '\r\n', ' ', '\n\n'])(
  'rooms list trims %j from the end of MEETROOM_API_KEY',
  async (behind) => {
    const env = { MEETROOM_API_KEY: `${world.apiKey}${behind}` }
    expect(await world.run('rooms list -o ids', { env })).toMatchObject({ code: 0, stderr: '' })
    expect(world.requests[0]?.headers['authorization']).toBe(`Bearer ${world.apiKey}`)
  },
)

test('rooms list redacts a MEETROOM_API_KEY with a trailing line break in service errors', async () => {
  world.intercept = async () => answer(400, { error: { message: 'bad key secret-key-1' } })
  const { stderr } = await world.run('rooms list', { env: { MEETROOM_API_KEY: 'secret-key-1\n' } })
  expect(stderr).toContain('bad key [API key]')
})

test('rooms list exits 4 if MEETROOM_API_KEY contains only white space', async () => {
  const env = { ...bare, MEETROOM_BASE_URL: baseUrl, MEETROOM_API_KEY: ' \n' }
  expect(await world.run('rooms list', { env })).toMatchObject({ code: 4 })
})

test('auth login rejects a key of fewer than eight characters before any request', async () => {
  const { code, stdout, stderr } = await world.run(`auth login --with-token --base-url ${baseUrl}`, {
    stdin: '7-bytes\n',
    env: bare,
  })
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr:
      'error: the key must have at least 8 characters\n' +
      'hint: check that the key is complete; meetroom cannot mask shorter keys in its output\n',
  })
  expect(world.requests).toEqual([])
  expect(existsSync(file)).toBe(false)
})

test('rooms list prints a warning if MEETROOM_API_KEY has fewer than eight characters', async () => {
  world.intercept = async () => answer(200, { rooms: [] })
  const run = (key: string, flags = '') =>
    world.run(`rooms list -o ids${flags}`, { env: { MEETROOM_API_KEY: key } })
  expect(await run('7-bytes')).toMatchObject({
    code: 0,
    stderr: 'warning: the API key (MEETROOM_API_KEY) is too short to be masked in output\n',
  })
  expect(await run('7-bytes', ' --quiet')).toMatchObject({ code: 0, stderr: '' })
  expect(await run('8--bytes')).toMatchObject({ code: 0, stderr: '' })
})

test('rooms list without a key exits 4 with a hint to log in', async () => {
  expect(await world.run('rooms list', { env: { ...bare, MEETROOM_BASE_URL: baseUrl } })).toMatchObject({
    code: 4,
    stdout: '',
    stderr:
      'error: no API key\nhint: log in with: meetroom auth login --base-url https://meet.test/v1, or set MEETROOM_API_KEY, or use the local workspace: meetroom rooms list --local\n',
  })
})

test('rooms list without a base URL exits 2 with a hint to log in', async () => {
  expect(await world.run('rooms list', { env: bare })).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error: no service is configured\nhint: log in with: meetroom auth login, or set MEETROOM_BASE_URL, or use the local workspace: meetroom rooms list --local\n',
  })
})

test('rooms list exits 4 without printing a malformed MEETROOM_API_KEY', async () => {
  for (const flags of ['', ' --json', ' --verbose']) {
    const { code, stderr } = await world.run(`rooms list${flags}`, {
      env: { MEETROOM_API_KEY: 'top\nsecret' },
    })
    expect(code).toBe(4)
    expect(stderr).not.toContain('secret')
  }
  expect(world.requests).toEqual([])
})

test('auth status with an accepted key exits 0', async () => {
  await logIn()
  expect(await world.run('auth status', { env: bare })).toMatchObject({
    code: 0,
    stdout:
      'profile          default\n' +
      'profile_from     settings file\n' +
      `base_url         ${baseUrl}\n` +
      'base_url_from    profile default\n' +
      'key_from         profile default\n' +
      `key_fingerprint  ${fingerprint(world.apiKey)}\n` +
      `key_stored_at    ${storedAt}\n` +
      'works            true\n',
    stderr: '',
  })
})

test('auth status --json prints a null key_stored_at if the storage time is unknown', async () => {
  store(withoutTime())
  const stored = await world.run('auth status --json', { env: bare })
  const given = await world.run('auth status --json')
  const facts = { key_fingerprint: fingerprint(world.apiKey), key_stored_at: null, works: true }
  for (const { stdout } of [stored, given]) expect(JSON.parse(stdout)).toMatchObject(facts)
})

test('auth status shows a fingerprint only for keys of at least 20 characters', async () => {
  const fingerprints = ['a'.repeat(19), 'a'.repeat(20)].map(async (MEETROOM_API_KEY) => {
    const { stdout } = await world.run('auth status --json', { env: { MEETROOM_API_KEY } })
    return JSON.parse(stdout).key_fingerprint
  })
  expect(await Promise.all(fingerprints)).toEqual([null, '42492da0'])
})

test('auth login replaces the stored key and its storage time', async () => {
  store({
    profiles: {
      default: {
        ...loggedIn().profiles.default,
        api_key: 'an-older-key',
        api_key_stored_at: '2025-01-01T00:00:00.000Z',
      },
    },
    profile: 'default',
  })
  const { stderr } = await logIn()
  expect(stderr).not.toContain('also stored')
  expect(stored()).toEqual(loggedIn())
  await world.run('auth logout', { env: bare })
  expect(stored().profiles).toEqual({ default: { base_url: baseUrl } })
})

test('auth login lists other profiles with the replaced key', async () => {
  const old = { ...loggedIn().profiles.default, api_key: 'an-older-key' }
  const other = { ...old, api_key: 'another-key' }
  store({ profiles: { default: old, staging: old, test: old, other }, profile: 'default' })
  expect((await logIn()).stderr).toContain('the replaced key is also stored in profiles staging, test\n')
})

test('auth status --json prints the profile, the base URL and the source of the key', async () => {
  const { code, stdout, stderr } = await world.run('auth status --json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(JSON.parse(stdout)).toEqual({
    profile: 'default',
    profile_from: 'default',
    base_url: baseUrl,
    base_url_from: 'MEETROOM_BASE_URL',
    workspace: null,
    key_from: 'MEETROOM_API_KEY',
    key_fingerprint: fingerprint(world.apiKey),
    key_stored_at: null,
    works: true,
  })
})

test('auth status with a rejected key exits 4', async () => {
  const env = { MEETROOM_API_KEY: 'wrong-key' }
  expect(await world.run('auth status', { env })).toMatchObject({
    code: 4,
    stdout:
      'profile        default\n' +
      'profile_from   default\n' +
      `base_url       ${baseUrl}\n` +
      'base_url_from  MEETROOM_BASE_URL\n' +
      'key_from       MEETROOM_API_KEY\n' +
      'works          false\n',
    stderr:
      'error: the service refuses the key\nhint: the key is from MEETROOM_API_KEY; correct it, or unset it to use a stored key\n',
  })
  const { stdout, stderr } = await world.run('auth status --json', { env })
  expect(JSON.parse(stdout)).toMatchObject({ works: false, key_from: 'MEETROOM_API_KEY' })
  expect(JSON.parse(stderr).error).toMatchObject({ code: 'auth' })
  expect(stdout + stderr).not.toContain('wrong-key')
})

test('auth status without a key exits 4', async () => {
  const env = { ...bare, MEETROOM_BASE_URL: baseUrl }
  const { code, stdout, stderr } = await world.run('auth status', { env })
  expect({ code, stdout }).toEqual({
    code: 4,
    stdout:
      'profile        default\n' +
      'profile_from   default\n' +
      `base_url       ${baseUrl}\n` +
      'base_url_from  MEETROOM_BASE_URL\n' +
      'works          false\n',
  })
  expect(stderr).toMatch(/^error: no API key\n/)
  expect(JSON.parse((await world.run('auth status --json', { env })).stdout)).toMatchObject({
    key_from: null,
    works: false,
  })
  expect(world.requests).toEqual([])
})

test('auth status without a base URL exits 2', async () => {
  const { code, stdout, stderr } = await world.run('auth status', { env: bare })
  expect({ code, stdout }).toEqual({
    code: 2,
    stdout: 'profile       default\nprofile_from  default\nworks         false\n',
  })
  expect(stderr).toMatch(/^error: no service is configured\n/)
})

test('auth status exits 4 if the stored key belongs to another origin than the base URL', async () => {
  await logIn()
  world.requests.length = 0
  const { code, stdout } = await world.run('auth status --json --base-url https://evil.test/v1', {
    env: bare,
  })
  expect(code).toBe(4)
  expect(JSON.parse(stdout)).toMatchObject({ base_url: 'https://evil.test/v1', works: false })
  expect(world.requests).toEqual([])
})

test('auth status exits 5 if the service does not respond', async () => {
  world.intercept = async () => {
    throw new TransportError('connection refused', false)
  }
  const { code, stdout, stderr } = await world.run('auth status --retries 0')
  expect(code).toBe(5)
  expect(stdout).toMatch(/\nworks {12}false\n$/)
  expect(stderr).toBe(
    'error: no response from meet.test: connection refused\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  )
})

test.each([
  ['status 500 and an empty body', answer(500, ''), 6],
  ['status 500 and a JSON body', answer(500, {}), 1],
  ['status 404', answer(404, {}), 6],
  ['a redirect', answer(302, '', { location: 'https://login.test/' }), 6],
  ['a web page', answer(200, '<html>', { 'content-type': 'text/html' }), 6],
])('auth status --json prints "works": false if the service responds with %s', async (_, said, exitCode) => {
  world.intercept = async () => said
  const { code, stdout } = await world.run('auth status --json')
  expect(JSON.parse(stdout)).toMatchObject({ works: false })
  expect(code).toBe(exitCode)
})

test('auth status --local shows the directory of the local workspace', async () => {
  expect(await world.run('auth status --local')).toMatchObject({
    code: 0,
    stdout:
      'profile       local\n' +
      'profile_from  --local\n' +
      `workspace     ${join(world.dir, 'data')}\n` +
      'key_from      workspace\n' +
      'works         true\n',
    stderr: '',
  })
  expect(world.requests).toEqual([])
})

test('auth status omits the key from its output', async () => {
  await logIn()
  for (const line of [
    'auth status',
    'auth status --json',
    'auth status --verbose',
    'auth status -o csv',
    'auth status --local',
  ])
    for (const env of [{}, bare]) {
      const { stdout, stderr } = await world.run(line, { env })
      expect(stdout + stderr, line).not.toContain(world.apiKey)
    }
})

test('auth logout deletes the key and keeps the other settings', async () => {
  await logIn()
  await world.run('config set timeout 5', { env: bare })
  expect(await world.run('auth logout', { env: bare })).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'deleted the key of profile default\n',
  })
  expect(stored()).toEqual({
    profiles: { default: { base_url: baseUrl, timeout: 5 } },
    profile: 'default',
  })
  expect((await world.run('rooms list', { env: bare })).code).toBe(4)
  expect(await world.run('auth logout', { env: bare })).toMatchObject({
    code: 0,
    stderr: 'profile default has no key; nothing was deleted\n',
  })
})

test('auth logout --profile deletes only the key of the named profile', async () => {
  await logIn()
  await logIn('--profile staging')
  await world.run('auth logout --profile staging', { env: bare })
  expect(stored().profiles).toEqual({ ...loggedIn().profiles, staging: { base_url: baseUrl } })
})

test('auth logout deletes the stored key even if MEETROOM_API_KEY is set', async () => {
  await logIn('--profile staging')
  expect(await world.run('auth logout')).toMatchObject({
    code: 0,
    stderr: 'deleted the key of profile staging\nMEETROOM_API_KEY is still set in the environment\n',
  })
  expect(stored().profiles.staging).toEqual({ base_url: baseUrl })
})

test('auth logout --local exits 2 because the local workspace has no stored key', async () => {
  expect(await world.run('auth logout --local')).toMatchObject({
    code: 2,
    stderr: 'error: the local workspace has no stored key\n',
  })
})

test('auth logout --dry-run keeps the key', async () => {
  await logIn()
  await world.run('auth logout --dry-run', { env: bare })
  expect(stored()).toEqual(loggedIn())
})

test('auth login requires --replace to change the base URL of an unprotected profile', async () => {
  const staging = {
    base_url: 'https://staging.test/v1',
    api_key: 'key-of-staging',
    api_key_origin: 'https://staging.test',
  }
  const config = { profile: 'staging', profiles: { staging } }
  store(config)
  const refused = await logIn()
  expect(refused).toMatchObject({ code: 2, stdout: '' })
  expect(refused.stderr).toBe(
    'error: profile staging is for https://staging.test/v1; nothing was stored\n' +
      'hint: to keep the profile, pass another name with --profile' +
      '; to replace it: meetroom auth login --profile staging --base-url https://meet.test/v1 --with-key --replace < key.txt\n',
  )
  expect(await logIn('--yes')).toMatchObject({ code: 2 })
  const guarded = { ...config, profiles: { staging: { ...staging, protected: true } } }
  store(guarded)
  const { code, stderr } = await logIn('--replace')
  expect(code).toBe(2)
  expect(stderr).toContain('profile staging is protected and for https://staging.test/v1')
  expect(stderr).toContain('meetroom profiles unprotect staging, then: meetroom auth login --profile staging')
  for (const line of ['config set base_url https://x.test/v1', 'config unset base_url'])
    expect(await world.run(line, { env: bare }), line).toMatchObject({ code: 2 })
  expect(stored()).toEqual(guarded)
  expect(await world.run('serve --port 0 --save-profile staging', { env: bare })).toMatchObject({ code: 2 })
  expect(world.requests).toEqual([])
  store(config)
  expect(await logIn('--replace')).toMatchObject({ code: 0 })
  expect(stored().profiles.staging).toMatchObject({ base_url: baseUrl, api_key: world.apiKey })
})

test('auth login omits the value of --key-command from the hint to add --replace', async () => {
  store({ profiles: { default: { base_url: 'https://staging.test/v1' } } })
  const argv = ['auth', 'login', '--base-url', baseUrl, '--key-command', 'echo secret-of-argv']
  const { stderr } = await world.run(argv, { env: bare })
  expect(stderr).toMatch(/with --profile; to replace it: add --replace\n$/)
})

test('auth login replaces the key of a protected profile with an equivalent base URL', async () => {
  const old = { base_url: 'https://MEET.test:443/v1/', api_key: 'key-of-before', protected: true }
  store({ profile: 'default', profiles: { default: old } })
  for (const url of [baseUrl, 'https://meet.test', 'https://meet.test/v1/']) {
    const { code, stderr } = await world.run(`auth login --with-token --base-url ${url}`, {
      stdin: world.apiKey,
      env: bare,
    })
    expect({ code, stderr: code === 0 ? '' : stderr }, url).toEqual({ code: 0, stderr: '' })
    expect(stored().profiles.default).toMatchObject({ api_key: world.apiKey, protected: true })
  }
})

test('config set base_url prints a notice if the stored key belongs to another origin', async () => {
  await logIn()
  expect(await world.run('config set base_url https://other.test/v1', { env: bare })).toMatchObject({
    code: 0,
    stderr:
      'the stored key belongs to https://meet.test; store a key for this service with: meetroom auth login --profile default\n',
  })
  expect((await world.run('config set base_url https://meet.test/v2', { env: bare })).stderr).toBe('')
})
