import { expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { member, school, session } from '../../../helpers/school.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

function serveRooms() {
  const active = { type: 'private', terminated_at: null }
  school(world, {
    r1: {
      room: { name: 'Maths 7a', ...active },
      sessions: [
        session('ada', '08:00', null, { name: 'ADA' }),
        session(null, '08:10', null, { member_id: 'm-x' }),
      ],
      members: [member('ada', { type: 'host' }), { id: 'm-x', user_id: null, type: 'guest' }],
    },
    r2: { room: { name: 'Maths 7b', ...active }, members: [member('ada')] },
    r3: {
      room: { name: 'Choir', ...active },
      sessions: [session('grace', '09:00', '09:30')],
      members: [member('grace')],
    },
  })
  const respond = world.intercept
  world.intercept = async (request, ...rest) =>
    !respond || /r3.*is_connecting=true/.test(request.url)
      ? answer(200, { sessions: [] })
      : respond(request, ...rest)
}

const paths = () => world.requests.map(({ url }) => url.slice(url.indexOf('/v1') + 3).replace(/\?.*/, ''))

test('sessions list --all-rooms --online lists participants, and reads members only of occupied rooms', async () => {
  serveRooms()
  expect(await world.run('sessions list --all-rooms --online')).toMatchObject({
    code: 0,
    stdout: `ROOM NAME  NAME  USER ID  ROLE   CONNECTED AT
─────────  ────  ───────  ─────  ────────────────────
Maths 7a   ADA   ada      host   2026-01-01T08:00:00Z
Maths 7a   m-x            guest  2026-01-01T08:10:00Z
`,
    stderr: '',
  })
  expect(paths().sort()).toEqual([
    ...['/rooms', '/rooms/r1/members', '/rooms/r1/sessions', '/rooms/r2/sessions', '/rooms/r3/sessions'],
  ])
})

test('sessions list prints the sessions of the rooms that --where or --all-rooms selects', async () => {
  serveRooms()
  const { stdout } = await world.run('sessions list --where name=Choir --json')
  const choir = {
    ...{ room_id: 'r3', room_name: 'Choir', session_id: 'grace-09:00', member_id: 'm-grace' },
    ...{ user_id: 'grace', name: 'GRACE', role: 'guest', status: 'offline' },
    ...{ connected_at: '2026-01-01T09:00:00.000Z', disconnected_at: '2026-01-01T09:30:00.000Z' },
  }
  expect(JSON.parse(stdout)).toEqual({ sessions: [choir] })
  const csv = (await world.run('sessions list --all-rooms -o csv')).stdout
  expect(csv.replaceAll('\r', '')).toBe(
    `${Object.keys(choir).join(',')}
r1,Maths 7a,ada-08:00,m-ada,ada,ADA,host,online,2026-01-01T08:00:00.000Z,
r1,Maths 7a,null-08:10,m-x,,m-x,guest,online,2026-01-01T08:10:00.000Z,
${Object.values(choir).join(',')}
`,
  )
})

test.each([
  ['--all-rooms --count', '3\n'],
  ['--all-rooms --offline -o ids', 'grace-09:00\n'],
  ['--all-rooms --user ada --no-header --columns room_name', 'Maths 7a\n'],
  ['--all-rooms --sort -connected_at --limit 2 -o ids', 'grace-09:00\nnull-08:10\n'],
  ['--all-rooms --count-by room_name -o csv', 'room_name,count\r\nMaths 7a,2\r\nChoir,1\r\n'],
])('sessions list %s prints the matching sessions or counts', async (flags, stdout) => {
  serveRooms()
  expect(await world.run(`sessions list ${flags}`)).toMatchObject({ code: 0, stdout })
})

test.each([
  ['sessions list', 2, 'no rooms given: pass a room, --where or --all-rooms'],
  ['sessions list r1 --all-rooms', 2, 'IDs, --where and --all-rooms cannot be used together'],
  ['sessions list --all-rooms --columns room', 2, 'no session has a field “room”'],
  ['sessions watch', 2, 'the argument “room” is missing'],
  ['sessions watch r1 --all-rooms', 2, 'a room and --all-rooms cannot be used together'],
])('the command “%s” exits %i with empty stdout', async (line, code, message) => {
  serveRooms()
  const { stderr, ...rest } = await world.run(line)
  expect(rest).toMatchObject({ code, stdout: '' })
  expect(stderr).toContain(message)
})

test('sessions list --all-rooms prints the sessions of the other rooms and exits 8 if one room cannot be read', async () => {
  serveRooms()
  const respond = world.intercept
  world.intercept = async (request, ...rest) =>
    !respond || request.url.includes('/r1/sessions')
      ? answer(400, { error: { code: 'no', message: 'not this one' } })
      : respond(request, ...rest)
  const { code, stdout, stderr } = await world.run('sessions list --all-rooms -o ids')
  expect({ code, stdout }).toEqual({ code: 8, stdout: 'grace-09:00\n' })
  expect(stderr).toContain('not this one')
})

test.each(['', ' --count'])(
  'sessions list --all-rooms --user ada%s exits 3 if the user does not exist',
  async (flag) => {
    const { code, stderr } = await world.run(`sessions list --all-rooms --user ada${flag}`)
    expect({ code, stderr }).toMatchObject({ code: 3, stderr: expect.stringContaining('no such user: ada') })
  },
)

test('sessions watch --all-rooms reports joins, leaves and new rooms', async () => {
  const at = '2026-01-02T03:00:00.000Z'
  const session = (id: string) => ({
    id,
    user_id: id,
    member_id: null,
    name: id.toUpperCase(),
    connected_at: at,
  })
  const polls = [
    { r1: [session('ada')], r2: [] },
    { r1: [session('ada')], r2: [session('bob')] },
    { r2: [session('bob')], r3: [session('cy')] },
  ]
  let poll = -1
  world.intercept = async ({ url }) => {
    if (/\/rooms\?/.test(url) || url.endsWith('/rooms')) poll++
    if (poll >= polls.length) host.signal('SIGINT')
    const now: Record<string, readonly object[]> = polls[Math.min(poll, polls.length - 1)] ?? {}
    const [, id] = /rooms\/(\w+)\/sessions/.exec(url) ?? []
    if (id !== undefined) return answer(200, { sessions: now[id] ?? [] })
    const rooms = Object.keys(now).map((id) => ({
      id,
      name: `Room ${id}`,
      type: 'open',
      terminated_at: null,
    }))
    return answer(200, { rooms, paging: { limit: 1000, offset: 0, total: rooms.length } })
  }
  const { host, done } = world.start(['sessions', 'watch', '--all-rooms'])
  const { code, stdout, stderr } = await done
  const told = stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ event, room_id, session_id, name, online }) => [event, room_id, session_id ?? name, online])
  expect({ code, stderr, told }).toEqual({
    code: 0,
    stderr: '',
    told: [
      ['room', 'r1', 'Room r1', undefined],
      ['present', 'r1', 'ada', undefined],
      ['room', 'r2', 'Room r2', undefined],
      ['ready', undefined, undefined, 1],
      ['joined', 'r2', 'bob', 1],
      ['left', 'r1', 'ada', 0],
      ['room', 'r3', 'Room r3', undefined],
      ['joined', 'r3', 'cy', 1],
    ],
  })
})

test('sessions watch --all-rooms on a terminal of 80 columns shows participants with their rooms', async () => {
  serveRooms()
  const respond = world.intercept
  let polls = 0
  world.intercept = async (request, ...rest) => {
    if (/\/rooms(\?|$)/.test(request.url) && ++polls > 1) host.signal('SIGINT')
    return respond ? respond(request, ...rest) : answer(200, {})
  }
  const { host, done } = world.start(['sessions', 'watch', '--all-rooms', '--no-color'], {
    ...{ tty: true, columns: 80, rows: 24 },
  })
  const { code, stdout } = await done
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the view moves the cursor
  const lines = stdout.replace(/\u001b\[\d*[A-K]|\r/g, '').split('\n')
  expect({ code, lines: lines.slice(0, 5) }).toEqual({
    code: 0,
    lines: [
      'All rooms · 1 in use · 2 online',
      'ROOM      NAME                   USER ID  SINCE             MINUTES',
      '────────  ─────────────────────  ───────  ────────────────  ───────',
      'Maths 7a  ADA                    ada      2026-01-01 08:00  1144',
      'Maths 7a  anonymous participant           2026-01-01 08:10  1134',
    ],
  })
})
