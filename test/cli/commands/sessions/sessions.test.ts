import { expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const paths = () => world.requests.map(({ method, url }) => `${method} ${url.slice(20)}`)

const online = {
  id: 's2',
  member_id: 'm1',
  user_id: 'ada',
  connected_at: '2026-01-02T03:00:00.000Z',
  disconnected_at: null,
  device: 'phone',
}
const offline = {
  id: 's1',
  member_id: 'm2',
  user_id: null,
  connected_at: '2026-01-01T03:00:00.000Z',
  disconnected_at: '2026-01-01T04:00:00.000Z',
}

function respondWithSessions(...sessions: object[]): void {
  world.intercept = async () => answer(200, { sessions })
}

test('sessions list shows online and offline sessions', async () => {
  respondWithSessions(online, offline)
  expect(await world.run('sessions list r')).toMatchObject({
    code: 0,
    stdout:
      'ID  USER ID  MEMBER ID  STATUS   CONNECTED AT          DISCONNECTED AT\n' +
      '──  ───────  ─────────  ───────  ────────────────────  ────────────────────\n' +
      's2  ada      m1         online   2026-01-02T03:00:00Z\n' +
      's1           m2         offline  2026-01-01T03:00:00Z  2026-01-01T04:00:00Z\n',
    stderr: '',
  })
})

test('sessions list shows relative times on a terminal', async () => {
  respondWithSessions(online, offline)
  const { stdout } = await world.run('sessions list r --no-color --columns id,connected_at --no-header', {
    tty: true,
  })
  expect(stdout).toBe('s2  4 minutes ago\ns1  yesterday\n')
})

test.each([
  ['', '/rooms/r/sessions'],
  [' --user ada', '/rooms/r/sessions?user_id=ada', '/users/ada'],
  [' --user a&b', '/rooms/r/sessions?user_id=a%26b', '/users/a%26b'],
  [' --user=', '/rooms/r/sessions?user_id='],
  [' --online', '/rooms/r/sessions?is_connecting=true'],
  [' --offline', '/rooms/r/sessions?is_connecting=false'],
  [' --user ada --offline', '/rooms/r/sessions?user_id=ada&is_connecting=false', '/users/ada'],
])(
  'the command “sessions list r%s” sends only the query parameters of its flags',
  async (flags, ...expected) => {
    respondWithSessions()
    expect((await world.run(`sessions list r${flags}`)).code).toBe(0)
    expect(paths()).toEqual(expected.map((path) => `GET ${path}`))
  },
)

test.each(['', ' --json', ' -o ids', ' --count', ' --all --where status=online'])(
  'sessions list%s with an unknown user exits 3 and suggests the likely user',
  async (flags) => {
    const { id } = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room
    await world.send('POST', '/users', { user_id: 'ada', name: 'Ada Lovelace', email: 'ada@school.example' })
    for (const typed of ['Ada', 'ada@school.example', 'ad']) {
      const { code, stdout, stderr } = await world.run(`sessions list ${id} --user ${typed}${flags}`)
      expect({ code, stdout }).toEqual({ code: 3, stdout: '' })
      expect(stderr).toContain(`meetroom sessions list ${id} --user ada${flags}`)
    }
  },
)

test('sessions list --user ada --curl prints only the request for the sessions', async () => {
  const { stdout } = await world.run('sessions list r --user ada --curl')
  expect(stdout.match(/^curl/gm)).toHaveLength(1)
})

test('sessions list --online --offline exits 2 before any request', async () => {
  expect(await world.run('sessions list r --online --offline')).toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'error: --online and --offline cannot be used together\nhint: see: meetroom sessions list --help\n',
  })
  expect(world.requests).toEqual([])
})

test('sessions list applies --limit and --offset if the service ignores both', async () => {
  respondWithSessions(...['a', 'b', 'c', 'd'].map((id) => ({ id })))
  const ids = async (flags: string) => (await world.run(`sessions list r -o ids ${flags}`)).stdout
  expect(await ids('--limit 2')).toBe('a\nb\n')
  expect(await ids('--offset 3')).toBe('d\n')
  expect(await ids('--limit 2 --offset 1')).toBe('b\nc\n')
  expect(await ids('--offset 9')).toBe('')
  expect(await ids('--all --page-size 2')).toBe('a\nb\nc\nd\n')
  expect(paths()).toEqual([
    'GET /rooms/r/sessions?limit=2',
    'GET /rooms/r/sessions?offset=3',
    'GET /rooms/r/sessions?limit=2&offset=1',
    'GET /rooms/r/sessions?offset=9',
    'GET /rooms/r/sessions?limit=2',
  ])
  expect(await world.run('sessions list r --limit 1 --json')).toMatchObject({
    code: 0,
    stdout: '{"sessions":[{"id":"a"}]}\n',
  })
})

test('sessions list prints undocumented fields with -o ndjson and with --columns', async () => {
  respondWithSessions(online)
  const { stdout } = await world.run('sessions list r -o ndjson')
  expect(stdout).toBe(`${JSON.stringify(online)}\n`)
  expect((await world.run('sessions list r --columns id,device -o csv')).stdout).toBe(
    'id,device\r\ns2,phone\r\n',
  )
})

test('sessions list prints ip_address and elapsed_time in CSV only if --columns names them', async () => {
  const first = { id: 's1', user_id: 'ada' }
  respondWithSessions(first, {
    ...first,
    id: 's2',
    elapsed_time: 7,
    ip_address: '::1',
    user_agent: 'Browser/1',
  })
  const header = 'id,member_id,user_id,connected_at,disconnected_at'
  expect(await world.run('sessions list r -o csv')).toMatchObject({
    stdout: `${header}\r\ns1,,ada,,\r\ns2,,ada,,\r\n`,
    stderr: '',
  })
  expect((await world.run('sessions list r -o tsv')).stdout).toBe(
    `${header.replaceAll(',', '\t')}\ns1\t\tada\t\t\ns2\t\tada\t\t\n`,
  )
  expect((await world.run('sessions list r -o csv --columns id,ip_address,elapsed_time')).stdout).toBe(
    'id,ip_address,elapsed_time\r\ns1,,\r\ns2,::1,7\r\n',
  )
  expect((await world.run('sessions list r -o ndjson')).stdout).toContain('"user_agent":"Browser/1"')
})

test('sessions list exits 6 for a session without an ID', async () => {
  world.intercept = async () => answer(200, { sessions: [{ id: 's1' }, { user_id: 'ada' }] })
  expect(await world.run('sessions list r')).toMatchObject({
    code: 6,
    stdout: '',
    stderr: 'error: the service’s response cannot be read: sessions[1] has no id\n',
  })
})

test('session ls is an alias of sessions list', async () => {
  respondWithSessions(online)
  expect((await world.run('session ls r -o ids')).stdout).toBe('s2\n')
})
