import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { testNow } from '../../helpers/host.ts'
import { answer, createWorld, type World } from '../../helpers/world.ts'

let world: World
beforeEach(async () => {
  world = await createWorld()
  vi.stubEnv('TZ', 'Asia/Seoul')
})
afterEach(() => void vi.unstubAllEnvs())

/** Representation of a time, given in milliseconds since 1970, or of a missing time. */
type Spelling = (ms: number | null) => unknown

const ago = (minutes: number) => testNow - minutes * 60_000

function serveRooms(spell: Spelling, instead: Record<string, unknown> = {}) {
  const room = (id: string, created: number, terminated: number | null = null) => ({
    room: {
      id,
      name: id,
      type: 'open',
      created_at: spell(created),
      started_at: spell(terminated),
      terminated_at: spell(terminated),
    },
  })
  const session = (id: string, user_id: string, from: number, to: number | null) => ({
    ...{ id, member_id: `m-${user_id}`, user_id, connected_at: spell(from), disconnected_at: spell(to) },
  })
  const sessions: Record<string, ReturnType<typeof session>[]> = {
    used: [session('s1', 'ada', ago(50), null), session('s2', 'bob', ago(200), ago(100))],
    left: [session('s3', 'ada', ago(90), ago(60))],
  }
  const rooms = [
    room('new', ago(5)),
    room('left', ago(120)),
    room('over', ago(900), ago(300)),
    room('used', ago(600)),
  ]
  const members = ['ada', 'bob'].map((user_id) => ({ id: `m-${user_id}`, user_id, type: 'guest' }))
  world.intercept = async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const path = pathname.slice('/v1'.length)
    if (Object.hasOwn(instead, path)) return answer(200, instead[path])
    if (path === '/rooms') return answer(200, { rooms: rooms.map(({ room }) => room), paging: { total: 4 } })
    const [, , id = '', list, member] = path.split('/')
    if (member !== undefined) return answer(200, { member: members.find(({ id }) => id === member) })
    const held = sessions[id] ?? []
    const shown = searchParams.get('is_connecting') ? held.filter(({ id }) => id === 's1') : held
    if (list === 'sessions') return answer(200, { sessions: shown })
    if (list === 'members') return answer(200, { members, paging: { total: 2 } })
    return answer(
      200,
      rooms.find(({ room }) => room.id === id),
    )
  }
}

const iso = (ms: number) => new Date(ms).toISOString()
const zero =
  (none: unknown, spell: (ms: number) => unknown): Spelling =>
  (ms) =>
    ms === null ? none : spell(ms)

const spellings: [what: string, spelling: Spelling][] = [
  ['ISO 8601 with Z', zero(null, iso)],
  ['ISO 8601 without a zone', zero(null, (ms) => iso(ms).slice(0, -1))],
  ['ISO 8601 with a space in place of T', zero(null, (ms) => iso(ms).slice(0, 19).replace('T', ' '))],
  ['ISO 8601 in the time zone of Seoul', zero(null, (ms) => iso(ms + 9 * 3_600_000).replace('Z', '+09:00'))],
  ['seconds since 1970', zero(0, (ms) => Math.floor(ms / 1000))],
  ['milliseconds since 1970', zero(0, (ms) => ms)],
  ['seconds as text', zero('0', (ms) => String(Math.floor(ms / 1000)))],
  ['HTTP dates', zero('', (ms) => new Date(ms).toUTCString())],
  ['ISO 8601 with 0001-01-01 for a missing time', zero('0001-01-01T00:00:00Z', iso)],
  ['ISO 8601 with 1970-01-01 for a missing time', zero('1970-01-01T00:00:00.000Z', iso)],
]

const commands: [line: string, stdout: string][] = [
  ['rooms list -o ids --where age>100m', 'left\nover\nused\n'],
  ['rooms list -o ids --where age<=100m', 'new\n'],
  [`rooms list -o ids --where created_at<${iso(ago(500)).slice(0, 16)}Z`, 'over\nused\n'],
  ['rooms list -o ids --where status=terminated', 'over\n'],
  ['rooms list -o ids --where status=active', 'new\nleft\nused\n'],
  ['rooms list -o ids --where terminated_at=', 'new\nleft\nused\n'],
  ['rooms list -o ids --where terminated_at!=', 'over\n'],
  ['rooms list -o ids --sort created_at', 'over\nused\nleft\nnew\n'],
  ['rooms list -o ids --sort terminated_at,id', 'over\nleft\nnew\nused\n'],
  ['rooms list -o ids --where online>0', 'used\n'],
  ['rooms list -o ids --where idle>50m', 'left\nover\n'],
  ['rooms list -o ids --where last_active!=', 'left\nused\n'],
  ['rooms wait over --for terminated -o ids', 'over\n'],
  ['rooms wait left --for empty -o ids', 'left\n'],
  [
    'sessions report used left -o csv --columns room_id,user_id,minutes --no-header',
    'used,bob,100\r\nused,ada,50\r\nleft,ada,30\r\n',
  ],
]

describe.each(spellings)('a service that writes times as %s', (what, spelling) => {
  test.each(commands)(
    `the command “%s” prints the same rows if the service writes times as ${what}`,
    async (line, expected) => {
      serveRooms(spelling)
      const { code, stdout, stderr } = await world.run(line)
      expect({ code, stdout, stderr: stderr.replace(/^--sort reads.*\n/, '') }).toEqual({
        code: 0,
        stdout: expected,
        stderr: '',
      })
    },
  )

  test(`members export prints last_seen only for a member with sessions if the service writes times as ${what}`, async () => {
    serveRooms(spelling)
    const { stdout } = await world.run('members export left --with last_seen -o json')
    const { members: rows } = JSON.parse(stdout)
    expect(rows.map(({ last_seen }: { last_seen: string | null }) => last_seen === null)).toEqual([
      false,
      true,
    ])
  })

  test(`rooms list prints the status and the time since termination if the service writes times as ${what}`, async () => {
    serveRooms(spelling)
    const columns = '--columns id,terminated_at,status'
    const { stdout } = await world.run(`rooms list ${columns}`, {
      tty: true,
      columns: 100,
      env: { NO_COLOR: '1' },
    })
    expect(stdout).toMatch(/over +5 hours ago +terminated/)
    expect(stdout.match(/ active/g)).toHaveLength(3)
  })
})

describe('an unreadable time', () => {
  const spelling: Spelling = (ms) => (ms === null ? null : 'yesterday')

  test.each([
    ['rooms list -o ids --where created_at<2100-01-01', 4, 'created_at'],
    ['rooms list -o ids --where created_at>2000-01-01', 4, 'created_at'],
    ['rooms list -o ids --where age>1s', 4, 'created_at'],
    ['rooms list -o ids --where created_at!=2026-01-01', 4, 'created_at'],
    ['rooms list -o ids --where terminated_at<2100-01-01', 1, 'terminated_at'],
  ])(
    'the command “%s” omits rooms with an unreadable time and prints their number',
    async (line, count, field) => {
      serveRooms(spelling)
      const words = count === 1 ? 'room' : 'rooms'
      expect(await world.run(line)).toMatchObject({
        code: 0,
        stdout: '',
        stderr: `${count} ${words} with an unreadable ${field} ${count === 1 ? 'does' : 'do'} not match\n`,
      })
    },
  )

  test('rooms list --where status omits a room with an unreadable terminated_at', async () => {
    serveRooms(spelling)
    for (const state of ['active', 'terminated']) {
      const { stdout, stderr } = await world.run(`rooms list -o ids --where status=${state}`)
      expect({ stdout, stderr }).toEqual({
        stdout: state === 'active' ? 'new\nleft\nused\n' : '',
        stderr: '1 room without status does not match\n',
      })
    }
  })

  test('rooms list --sort prints a room with an unreadable time last in both directions', async () => {
    serveRooms((ms) => (ms === ago(600) ? 'yesterday' : ms === null ? null : iso(ms)))
    for (const order of ['created_at', '-created_at']) {
      const { stdout, stderr } = await world.run(['rooms', 'list', '-o', 'ids', `--sort=${order}`])
      expect(stdout).toMatch(/used\n$/)
      expect(stderr).toContain('1 room without created_at comes last\n')
    }
  })

  test('rooms wait treats a room as occupied if the end of a session is unreadable', async () => {
    serveRooms((ms) => (ms === null ? 'still here' : iso(ms)))
    expect(await world.run('rooms wait used --for empty --timeout 1s')).toMatchObject({ code: 9, stdout: '' })
  })
})

test('rooms wait and rooms list treat a session that ends before its start as online', async () => {
  const session = { id: 's1', user_id: 'ada', connected_at: iso(ago(5)), disconnected_at: iso(ago(500)) }
  serveRooms(zero(null, iso), { '/rooms/used/sessions': { sessions: [session] } })
  expect(await world.run('rooms wait used --for empty --timeout 1s')).toMatchObject({ code: 9, stdout: '' })
  expect(await world.run('rooms list -o ids --where online>0')).toMatchObject({ stdout: 'used\n' })
})

describe('a boolean field', () => {
  const blocked = (is_blocked: unknown) =>
    serveRooms(zero(null, iso), {
      '/rooms/left/members': {
        members: [{ id: 'm1', user_id: 'ada', type: 'guest', is_blocked }],
        paging: { total: 1 },
      },
      '/rooms/left/members/m1': { member: { id: 'm1', user_id: 'ada', type: 'guest', is_blocked } },
    })

  test.each([
    [true, 'm1\n', ''],
    [1, 'm1\n', ''],
    ['True', 'm1\n', ''],
    ['1', 'm1\n', ''],
    [false, '', 'm1\n'],
    [0, '', 'm1\n'],
    ['0', '', 'm1\n'],
  ])(
    'members list --where is_blocked reads the response value %j as a boolean',
    async (value, ifTrue, ifFalse) => {
      blocked(value)
      const list = (condition: string) => world.run(`members list left -o ids --where ${condition}`)
      expect(await list('is_blocked=true')).toMatchObject({ code: 0, stdout: ifTrue, stderr: '' })
      expect(await list('is_blocked=false')).toMatchObject({ code: 0, stdout: ifFalse, stderr: '' })
      expect(await list('status=blocked')).toMatchObject({ code: 0, stdout: ifTrue, stderr: '' })
    },
  )

  test.each([[2], ['perhaps'], [[]], [{}]])(
    'members list --where is_blocked omits a member with the unreadable value %j',
    async (value) => {
      blocked(value)
      for (const condition of ['is_blocked=true', 'is_blocked=false', 'is_blocked!=true'])
        expect(await world.run(`members list left -o ids --where ${condition}`)).toMatchObject({
          code: 0,
          stdout: '',
          stderr: '1 member with an unreadable is_blocked does not match\n',
        })
    },
  )
})

test('rooms list --where meeting_time omits a room with an unreadable number', async () => {
  const room = { id: 'r1', name: 'r1', type: 'open', meeting_time: 'many' }
  serveRooms(zero(null, iso), { '/rooms': { rooms: [room], paging: { total: 1 } }, '/rooms/r1': { room } })
  for (const condition of ['meeting_time>1', 'meeting_time<1', 'meeting_time!=1'])
    expect(await world.run(`rooms list -o ids --where ${condition}`)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '1 room with an unreadable meeting_time does not match\n',
    })
})
