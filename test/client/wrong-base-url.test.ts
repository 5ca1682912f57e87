import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { TransportError, type WireResponse } from '../../src/api/wire.ts'
import { createImportWorld, type ImportWorld } from '../helpers/imports.ts'
import { aboutKey } from '../helpers/login.ts'
import { answer } from '../helpers/world.ts'

let world: ImportWorld
let room: string
beforeEach(async () => {
  world = await createImportWorld()
  room = await world.room('Weekly sync')
  await world.send('POST', '/users', { user_id: 'ada' })
})

const html = { 'content-type': 'text/html' }
const notFound = answer(404, '<h1>404 Not Found</h1>', html)
const origin = 'https://meet.test'
const env = { MEETROOM_BASE_URL: origin }

function serveApi(elsewhere: WireResponse, api = `${origin}/v1`) {
  world.intercept = async ({ url, ...request }, next) => {
    if (!url.startsWith(`${api}/`)) return elsewhere
    if (api === `${origin}/v1`) return next()
    const { body } = request
    const [path] = [url.slice(api.length)]
    const said = await world.send(request.method, path, body === undefined ? undefined : JSON.parse(body))
    return answer(said.status, said.body)
  }
}

const wrong = (url = origin) =>
  `error: ${url} does not respond as a Meeting Room Service\n` +
  (/\/v\d$/.test(url)
    ? `hint: find the cause with: meetroom doctor --base-url ${url}\n`
    : `hint: a base URL ends in the version, as in ${url === origin ? origin : 'https://meet.example.com'}/v1\n`)

const commands = () => [
  `rooms get ${room}`,
  'rooms get nope',
  'rooms list',
  'rooms list --all -o csv',
  `rooms delete ${room} --yes`,
  `rooms delete ${room} --yes --ignore-not-found`,
  `rooms delete ${room} nope other --yes --ignore-not-found`,
  `rooms update ${room} --name New`,
  `rooms terminate ${room} --yes`,
  `rooms terminate ${room} --yes --ignore-not-found`,
  `rooms reopen ${room} --ignore-not-found`,
  `members block ${room} m1 --yes --ignore-not-found`,
  `members unblock ${room} m1 --ignore-not-found`,
  `members block ${room} --user ada --yes --ignore-not-found`,
  'rooms create --name X --type open',
  `members list ${room}`,
  `members add ${room} ada`,
  'users get ada',
  'users create ada',
  'users create ada --if-not-exists',
  'users delete ada --yes --ignore-not-found',
  `message send ${room} hi`,
  `sessions list ${room}`,
  'rooms export',
  `members export ${room}`,
  'users import users.csv --if-exists skip --no-journal',
  'api GET /rooms',
]

describe('a base URL without /v1', () => {
  test.each([
    ['404 with HTML', notFound],
    ['404 with JSON', answer(404, { message: 'no such route' })],
    ['404 without a body', answer(404, '')],
    ['405 with JSON', answer(405, { message: 'no such method' })],
    ['410', answer(410, '')],
  ])(
    'API commands with a base URL without /v1 exit 6 if the web server responds with %s',
    async (_what, elsewhere) => {
      serveApi(elsewhere)
      world.file('users.csv', 'user_id\nada\ngrace\nalan\n')
      for (const command of commands()) {
        const { code, stdout, stderr } = await world.run(command, { env })
        expect({ command, code, stdout, error: stderr.slice(-wrong().length) }).toEqual({
          command,
          code: 6,
          stdout: '',
          error: wrong(),
        })
        expect(stderr, command).not.toContain('did not exist')
      }
      expect(await world.rooms()).toEqual(['Weekly sync'])
    },
  )

  test('rooms delete --json reports the error code wrong_base_url for a base URL without /v1', async () => {
    serveApi(notFound)
    const { stderr } = await world.run(`rooms delete ${room} --yes --ignore-not-found --json`, { env })
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: 'wrong_base_url',
        message: `${origin} does not respond as a Meeting Room Service`,
        hint: `a base URL ends in the version, as in ${origin}/v1`,
        status: 404,
        retryable: false,
        request: { method: 'DELETE', path: `/rooms/${room}` },
        body: '<h1>404 Not Found</h1>',
      },
    })
  })

  test('rooms delete with 40 IDs and a base URL without /v1 stops after at most eight writes', async () => {
    serveApi(notFound)
    const ids = Array.from({ length: 40 }, (_, i) => `r${i}`)
    const { code, stderr } = await world.run(['rooms', 'delete', ...ids, '--yes', '--max', '40'], { env })
    expect({ code, stderr }).toEqual({ code: 6, stderr: wrong() })
    expect(world.writes().length).toBeLessThanOrEqual(8)
  })

  test('users import of 40 rows with a base URL without /v1 sends at most nine requests', async () => {
    serveApi(notFound)
    world.file('users.csv', `user_id\n${Array.from({ length: 40 }, (_, i) => `u${i}\n`).join('')}`)
    const { code, stderr } = await world.run('users import users.csv --no-journal', { env })
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringContaining(wrong()) })
    expect(world.requests.length).toBeLessThanOrEqual(9)
  })

  test('--curl and --dry-run send no request with a base URL without /v1', async () => {
    serveApi(notFound)
    await world.run(`rooms delete ${room} --yes --curl`, { env })
    await world.run('rooms create --name X --type open --dry-run', { env })
    expect(world.requests).toEqual([])
  })
})

const probes: [what: string, probe: WireResponse, isService: boolean][] = [
  ['rooms', answer(200, { rooms: [], paging: {} }), true],
  ['200 with other JSON', answer(200, { ok: true }), false],
  ['200 with HTML', answer(200, '<!doctype html>', html), false],
  ['204', answer(204, ''), false],
  ['a redirect', answer(302, '{}', { location: '/login' }), false],
  ['404 with JSON', answer(404, {}), false],
  ['405 with JSON', answer(405, {}), false],
  ['400 with HTML', answer(400, '<h1>Bad Request</h1>', html), false],
  ['403 with JSON', answer(403, {}), true],
  ['401 with JSON', answer(401, {}), true],
  ['400 with JSON', answer(400, {}), true],
  ['429 with JSON', answer(429, {}), true],
  ['500 with JSON', answer(500, {}), true],
  ['503 with JSON', answer(503, {}), true],
  ['503 with HTML', answer(503, '<h1>Busy</h1>', html), false],
]

describe.each(probes)('a probe that gets the response %s', (_what, probe, isService) => {
  beforeEach(() => {
    world.intercept = async ({ url }) => (url.endsWith('/rooms?limit=1') ? probe : notFound)
  })

  test(
    isService
      ? 'rooms delete --ignore-not-found exits 0 after a 404 response if a service responds to the probe'
      : 'rooms delete --ignore-not-found exits 6 after a 404 response if no service responds to the probe',
    async () => {
      const { code, stderr } = await world.run('rooms delete r1 --yes --ignore-not-found --retries 0')
      if (isService)
        expect({ code, stderr }).toEqual({ code: 0, stderr: 'deleted 0 rooms; 1 did not exist\n' })
      else expect({ code, stderr }).toEqual({ code: 6, stderr: wrong(`${origin}/v1`) })
    },
  )

  test('rooms delete sends as many probes for three missing rooms as for two', async () => {
    const probesOf = async (ids: string) => {
      world.requests.length = 0
      await world.run(`rooms delete ${ids} --yes --ignore-not-found --retries 0`)
      return world.sent().filter((line) => line === 'GET /rooms?limit=1').length
    }
    expect(await probesOf('r1 r2 r3')).toBe(await probesOf('r1 r2'))
  })
})

test('rooms delete --ignore-not-found exits 5 after a 404 response if the probe gets no response', async () => {
  world.intercept = async ({ url }) => {
    if (url.endsWith('/rooms?limit=1')) throw new TransportError('the connection was reset', true)
    return notFound
  }
  expect(await world.run('rooms delete r1 --yes --ignore-not-found --retries 0')).toMatchObject({
    code: 5,
    stderr:
      'error: no response from meet.test: the connection was reset\nhint: find the cause with: meetroom doctor --base-url https://meet.test/v1\n',
  })
})

test.each([
  ['rooms delete r1', 'room r1', 400],
  ['rooms delete r1 r1b', 'room r1', 404],
  ['users delete ada', 'user ada', 404],
  ['rooms terminate r1', 'room r1', 410],
  ['members unblock r1 m1', 'member m1', 404],
])(
  '“%s --ignore-not-found” fails if %s exists although the write gets a %i response',
  async (line, what, status) => {
    world.intercept = async ({ method }) =>
      method === 'GET'
        ? answer(200, { rooms: [], room: { id: 'r1' }, user: { user_id: 'ada' }, member: { id: 'm1' } })
        : answer(status, { error: 'no' })
    const { code, stderr } = await world.run(`${line} --ignore-not-found --yes`)
    expect([1, 8]).toContain(code)
    expect(stderr).toContain(
      `the service responds that ${what} does not exist, but the ${what.split(' ')[0]} can be read`,
    )
  },
)

describe('omitted probes', () => {
  const asked = () => world.sent().filter((line) => line === 'GET /rooms?limit=1')

  test('rooms delete --ignore-not-found sends no probe after a successful response', async () => {
    world.intercept = async ({ url }) =>
      url.endsWith('/r2') ? notFound : answer(200, { room: { id: 'r1' } })
    expect(await world.run('rooms delete r1 r2 --yes --concurrency 1 --ignore-not-found')).toMatchObject({
      code: 0,
      stderr: 'deleted 1 room; 1 did not exist\n',
    })
    expect(asked()).toEqual([])
  })

  test('rooms delete --ignore-not-found sends no probe after a successful lookup of the rooms', async () => {
    let deletions = 0
    world.intercept = async ({ method, url }) => {
      if (method === 'DELETE') deletions++
      const isThere = method === 'GET' && url.includes('/rooms/') && deletions === 0
      return isThere ? answer(200, { room: { id: url.slice(-2) } }) : notFound
    }
    const { host, done } = world.start('rooms delete r1 r2 --ignore-not-found'.split(' '), { tty: true })
    setImmediate(() => host.type('2\n'))
    expect(await done).toMatchObject({ code: 0, stderr: expect.stringContaining('2 did not exist\n') })
    expect(asked()).toEqual([])
  })
})

test('rooms delete --ignore-not-found sends one probe for two 400 responses with not_found', async () => {
  const { code, stderr } = await world.run('rooms delete nope other --yes --ignore-not-found')
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'deleted 0 rooms; 2 did not exist\n' })
  expect(world.sent().filter((line) => line === 'GET /rooms?limit=1')).toHaveLength(1)
})

describe('an embedded service at /v1', () => {
  const bases = [origin, `${origin}/v2`, `${origin}/v1/rooms`, `${origin}/v1/users`, `${origin}/v1/v1`]

  test.each(bases)(
    'API commands exit 6 with the wrong base URL %s of an embedded service at /v1',
    async (base) => {
      world.file('users.csv', 'user_id\nada\ngrace\nalan\n')
      for (const command of commands()) {
        const { code, stdout, stderr } = await world.run(command, { env: { MEETROOM_BASE_URL: base } })
        expect({ command, code, stdout, error: stderr.slice(-wrong(base).length) }).toEqual({
          command,
          code: 6,
          stdout: '',
          error: wrong(base),
        })
        expect(stderr, command).not.toContain('did not exist')
      }
      expect(await world.rooms()).toEqual(['Weekly sync'])
      expect(await world.user('ada')).toBeDefined()
    },
  )

  test('the embedded service responds with unknown_operation to GET /nothing', async () => {
    expect(await world.send('GET', '/nothing')).toEqual({
      status: 400,
      body: { error: { code: 'unknown_operation', message: 'no such operation: GET /v1/nothing' } },
    })
  })

  test('api GET exits 3 for a path outside the API', async () => {
    expect(await world.run('api GET /nothing')).toMatchObject({
      code: 3,
      stderr: 'error: the service does not know /nothing: no such operation: GET /v1/nothing\n',
    })
  })

  test('rooms delete and users delete exit 1 after a response with unknown_operation', async () => {
    world.intercept = async (request, next) =>
      request.method === 'DELETE'
        ? answer(400, { error: { code: 'unknown_operation', message: 'no such operation' } })
        : next()
    for (const line of [`rooms delete ${room}`, 'users delete ada'])
      expect(await world.run(`${line} --yes --ignore-not-found`)).toMatchObject({
        code: 1,
        stderr: 'error: the service refuses the request (400): no such operation\n',
      })
  })
})

describe('auth login with a base URL that omits /v1', () => {
  const bare = { MEETROOM_API_KEY: undefined, MEETROOM_BASE_URL: undefined }
  const logIn = (baseUrl: string, key = world.apiKey) =>
    world.run(`auth login --with-token --base-url ${baseUrl}`, { stdin: key, env: bare })
  const stored = () =>
    JSON.parse(readFileSync(join(world.configDir, 'config.json'), 'utf8')).profiles.default.base_url
  const paths = () => world.requests.map(({ url }) => url)

  test.each([
    ['404', notFound],
    ['404 with JSON', answer(404, {})],
    ['an HTML page', answer(200, '<!doctype html>', html)],
    ['a redirect', answer(301, '', { location: 'https://www.meet.test/' })],
    ['403 with HTML', answer(403, '<h1>Forbidden</h1>', html)],
    ['other JSON', answer(200, { hello: 'world' })],
    [
      '400 and “not_found”, as meetroom serve does',
      answer(400, { error: { code: 'not_found', message: 'no' } }),
    ],
  ])(
    'auth login appends /v1 to the base URL if the web server responds with %s',
    async (_what, elsewhere) => {
      serveApi(elsewhere)
      expect(await logIn(origin)).toMatchObject({
        code: 0,
        stdout: '',
        stderr:
          'the service is at https://meet.test/v1; this base URL is stored\n' +
          `logged in to https://meet.test as profile default\n${aboutKey(world.apiKey)}`,
      })
      expect(stored()).toBe(`${origin}/v1`)
      expect(new Set(paths())).toEqual(new Set([`${origin}/rooms?limit=1`, `${origin}/v1/rooms?limit=1`]))
      expect((await world.run('rooms list -o ids', { env: bare })).stdout).toBe(`${room}\n`)
    },
  )

  test('auth login finds a service under a path prefix if the base URL omits /v1', async () => {
    serveApi(notFound, `${origin}/meet/v1`)
    expect(await logIn(`${origin}/meet/`)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('the service is at https://meet.test/meet/v1;'),
    })
    expect(stored()).toBe(`${origin}/meet/v1`)
  })

  test('auth login stores no settings if no service responds with or without /v1 in the base URL', async () => {
    world.intercept = async () => notFound
    expect(await logIn(origin)).toMatchObject({
      code: 6,
      stdout: '',
      stderr: wrong().replace(`${origin}/v1`, 'https://meet.example.com/v1'),
    })
    expect(stored).toThrow('ENOENT')
  })

  test('auth login exits 6 with a hint if the base URL ends with /v2', async () => {
    expect(await logIn(`${origin}/v2`)).toMatchObject({ code: 6, stderr: wrong(`${origin}/v2`) })
    expect(stored).toThrow('ENOENT')
  })

  test('auth login tries no other URL if the base URL ends with /v1', async () => {
    world.intercept = async () => notFound
    expect(await logIn(`${origin}/v1`)).toMatchObject({ code: 6, stderr: wrong(`${origin}/v1`) })
    expect(new Set(paths())).toEqual(new Set([`${origin}/v1/rooms?limit=1`]))
  })

  test('auth login with a base URL without /v1 exits 4 if the service at /v1 refuses the key', async () => {
    serveApi(notFound)
    expect(await logIn(origin, 'wrong-key')).toMatchObject({
      code: 4,
      stderr: 'error: https://meet.test refuses this key; nothing was stored\n',
    })
    expect(stored).toThrow('ENOENT')
  })

  test('auth login sends the key to no other path if the service refuses the key', async () => {
    world.intercept = async () => answer(401, { message: 'no' })
    expect(await logIn(`${origin}/api`)).toMatchObject({ code: 4 })
    expect(new Set(paths())).toEqual(new Set([`${origin}/api/rooms?limit=1`]))
  })
})
