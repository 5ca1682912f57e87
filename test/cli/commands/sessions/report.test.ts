import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { member, school, session } from '../../../helpers/school.ts'
import { answer, createWorld } from '../../../helpers/world.ts'
import { sized } from '../../../suites/size.ts'

const world = perTest(createWorld)

const paths = () => world.requests.map(({ url }) => url.slice('https://meet.test/v1'.length))
const report = (line: string, options = {}) => world.run(`sessions report ${line}`, options)
const lines = (stdout: string) => stdout.split('\r\n').slice(0, -1)
const header = 'room_id,user_id,name,first_in,last_out,connections,minutes,share,present'

async function rows(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await report(`${line} -o csv`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const [first, ...rest] = lines(stdout)
  expect(first).toBe(`${header},room_name`)
  return rest.map((row) => row.slice(0, row.lastIndexOf(',')))
}

const maths = {
  sessions: [
    session('ada', '08:40', '09:00'),
    session('ada', '08:00', '08:20'),
    session('ada', '08:10', '08:30', { id: 'second device' }),
    session('grace', '08:15', '08:16'),
    session(null, '08:30', '08:45', { member_id: 'm9' }),
  ],
  members: [member('ada'), member('grace'), member('alan'), member(null)],
}

describe('sessions report of one room', () => {
  beforeEach(() => school(world, { maths }))

  test('sessions report prints one row per participant, and counts overlapping minutes once', async () => {
    expect(await rows('maths')).toEqual([
      'maths,ada,ADA,2026-01-01T08:00:00.000Z,2026-01-01T09:00:00.000Z,3,50,0.833,true',
      'maths,grace,GRACE,2026-01-01T08:15:00.000Z,2026-01-01T08:16:00.000Z,1,1,0.017,true',
      'maths,,m9,2026-01-01T08:30:00.000Z,2026-01-01T08:45:00.000Z,1,15,0.25,true',
    ])
    expect(paths()).toEqual([
      ...['/rooms/maths/sessions?limit=1000', '/rooms/maths/members?limit=1000', '/rooms/maths'],
    ])
  })

  test('sessions report --absent lists members without a session', async () => {
    expect((await rows('maths --absent')).slice(3)).toEqual(['maths,alan,ALAN,,,0,0,0,false'])
  })

  test('sessions report --only-absent lists only absent members', async () => {
    expect(await rows('maths --only-absent')).toEqual(['maths,alan,ALAN,,,0,0,0,false'])
    expect((await report('maths --only-absent --min-minutes 15 -o ids')).stdout).toBe('grace\nalan\n')
    expect((await report('maths --only-absent')).stdout).toBe('NAME  USER ID\n────  ───────\nALAN  alan\n')
    expect((await report('maths --by meeting --only-absent --gap 5m')).stdout).toBe(
      [
        'MEETING  MEETING START         USER ID  NAME  ROLE',
        '───────  ────────────────────  ───────  ────  ─────',
        '1        2026-01-01T08:00:00Z  alan     ALAN  guest\n',
      ].join('\n'),
    )
    await school(world, { maths: { ...maths, members: [member('ada')] } })
    expect(await report('maths --only-absent')).toMatchObject({ stdout: '', stderr: 'no absences\n' })
  })

  test('sessions report shows the ID of a participant without a name only in tables', async () => {
    await school(world, { maths: { ...maths, members: [member('grace', { name: null })] } })
    const names = async (flags: string) =>
      (await report(`maths --columns name --no-header ${flags}`)).stdout.split(/\r?\n/)
    expect(await names('')).toEqual(['ada', 'grace', 'm9', ''])
    expect(await names('--by user-total')).toEqual(['ada', 'm9', 'grace', ''])
    expect(await names('-o csv')).toEqual(['', '', 'm9', ''])
  })

  test('sessions report --absent lists blocked absent members only with --include-blocked', async () => {
    const { members } = maths
    const blocked = members.map((one) => ({
      ...one,
      is_blocked: ['alan', 'grace'].includes(String(one['user_id'])),
    }))
    await school(world, { maths: { ...maths, members: blocked } })
    expect((await rows('maths --absent')).slice(3)).toEqual([])
    expect((await report('maths --absent --by room -o csv --columns absent --no-header')).stdout).toBe(
      '0\r\n',
    )
    const all = lines((await report('maths --absent --include-blocked -o csv')).stdout)
    expect(all[0]).toBe(`${header},blocked,room_name`)
    expect(all.map((row) => row.split(',')).map((cells) => [cells[1], cells.at(-2)])).toEqual([
      ['user_id', 'blocked'],
      ['ada', 'false'],
      ['grace', 'true'],
      ['', 'false'],
      ['alan', 'true'],
    ])
    const { stdout } = await report('maths --absent --include-blocked --json')
    expect(JSON.parse(stdout).attendance.at(-1)).toMatchObject({ user_id: 'alan', blocked: true })
    expect(await report('maths --include-blocked')).toMatchObject({
      code: 2,
      stderr: 'error: --include-blocked needs --absent, --only-absent or --missed\n',
    })
  })

  test('sessions report --min-minutes 15 treats a shorter attendance as an absence', async () => {
    expect((await rows('maths --min-minutes 15')).map((row) => row.split(',')[2])).toEqual(['ADA', 'm9'])
    expect((await rows('maths --min-minutes 15 --absent')).filter((row) => row.endsWith('false'))).toEqual([
      'maths,grace,GRACE,2026-01-01T08:15:00.000Z,2026-01-01T08:16:00.000Z,1,1,0.017,false',
      'maths,alan,ALAN,,,0,0,0,false',
    ])
  })

  test('sessions report counts only the minutes between --from and --to', async () => {
    expect(await rows('maths --from 2026-01-01T08:16Z --to 2026-01-01T08:44Z')).toEqual([
      'maths,ada,ADA,2026-01-01T08:16:00.000Z,2026-01-01T08:44:00.000Z,3,18,0.643,true',
      'maths,,m9,2026-01-01T08:30:00.000Z,2026-01-01T08:44:00.000Z,1,14,0.5,true',
    ])
    expect(await rows('maths --from 2026-01-01T10:00Z')).toEqual([])
  })

  test('sessions report prints null for missing values with -o json and -o ndjson', async () => {
    const { stdout } = await report('maths -o json --absent')
    expect(JSON.parse(stdout).attendance.at(-1)).toEqual({
      room_id: 'maths',
      user_id: 'alan',
      name: 'ALAN',
      first_in: null,
      last_out: null,
      connections: 0,
      minutes: 0,
      share: 0,
      present: false,
      room_name: 'maths',
    })
    expect((await report('maths -o ndjson')).stdout.split('\n')[2]).toBe(
      '{"room_id":"maths","user_id":null,"name":"m9","first_in":"2026-01-01T08:30:00.000Z","last_out":"2026-01-01T08:45:00.000Z","connections":1,"minutes":15,"share":0.25,"present":true,"room_name":"maths"}',
    )
  })

  test('sessions report requests only sessions if the output needs no names', async () => {
    await report('maths -o csv --columns user_id,minutes')
    await report('maths --by session -o ids')
    await report('maths --by room --columns room_id,minutes')
    expect(paths()).toEqual(Array(3).fill('/rooms/maths/sessions?limit=1000'))
  })

  test('sessions report -o ids prints the user IDs of the participants', async () => {
    expect(await report('maths -o ids')).toMatchObject({ code: 0, stdout: 'ada\ngrace\n', stderr: '' })
  })

  test('sessions report --by room prints one row per room, and --by session prints one row per connection', async () => {
    expect((await report('maths --by room -o csv --absent')).stdout).toBe(
      'room_id,name,first_in,last_out,participants,absent,connections,minutes,room_name\r\n' +
        'maths,maths,2026-01-01T08:00:00.000Z,2026-01-01T09:00:00.000Z,3,1,5,60,maths\r\n',
    )
    expect(lines((await report('maths --by session -o csv --min-minutes 16')).stdout)).toEqual([
      'room_id,session_id,member_id,user_id,name,connected_at,disconnected_at,minutes,share,room_name',
      'maths,ada-08:00,m-ada,ada,ADA,2026-01-01T08:00:00.000Z,2026-01-01T08:20:00.000Z,20,0.333,maths',
      'maths,second device,m-ada,ada,ADA,2026-01-01T08:10:00.000Z,2026-01-01T08:30:00.000Z,20,0.333,maths',
      'maths,ada-08:40,m-ada,ada,ADA,2026-01-01T08:40:00.000Z,2026-01-01T09:00:00.000Z,20,0.333,maths',
    ])
    expect((await report('maths --by session -o ids')).stdout.split('\n')).toHaveLength(6)
  })

  test.each([
    [{}, 'ascii'],
    [{ LANG: 'de_CH.UTF-8' }, 'blocks'],
    [{ LANG: 'de_CH.UTF-8', LC_ALL: 'C' }, 'ascii'],
    [{ LANG: 'C', LC_CTYPE: 'en_US.utf8' }, 'blocks'],
  ])(
    'sessions report on a terminal with the environment %j draws bars in the style “%s”',
    async (env, kind) => {
      const { stdout } = await report('maths --no-color --absent', { tty: true, columns: 122, env })
      const bars = {
        ascii: [
          '########################........################',
          '............+...................................',
          '........................############............',
          '................................................',
        ],
        blocks: [
          '████████████████████████░░░░░░░░████████████████',
          '░░░░░░░░░░░░▒░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░',
          '░░░░░░░░░░░░░░░░░░░░░░░░████████████░░░░░░░░░░░░',
          '░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░',
        ],
      }[kind]
      expect(
        stdout
          .split('\n')
          .slice(2, -1)
          .map((line) => line.slice(-48)),
      ).toEqual(bars)
    },
  )

  test.each([80, 200])(
    'sessions report prints a table that fits a terminal of %i columns',
    async (columns) => {
      const { stdout, stderr } = await report('maths --no-color', { tty: true, columns })
      for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
      await expect(stdout + stderr).toMatchFileSnapshot(`../fixtures/attendance-${columns}.txt`)
    },
  )
})

test('sessions report counts an online session up to the current time or --to', async () => {
  school(world, { r: { sessions: [session('ada', '20:00', null)], members: [member('ada')] } })
  // The test time is 2026-01-02T03:04:05.678Z.
  expect(await rows('r')).toEqual(['r,ada,ADA,2026-01-01T20:00:00.000Z,,1,424.1,1,true'])
  const until = await rows('r --to 2026-01-01T21:00Z')
  expect(until).toEqual(['r,ada,ADA,2026-01-01T20:00:00.000Z,2026-01-01T21:00:00.000Z,1,60,1,true'])
  expect((await report('r', { tty: true, columns: 120 })).stdout).toContain('still in')
})

describe('minutes in sessions report', () => {
  test('sessions report computes the same minutes as a reference implementation for random sessions', async () => {
    const time = (minute: number) =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const stay = fc.record({
      user: fc.constantFrom('ada', 'grace', 'alan'),
      from: fc.integer({ min: 0, max: 200 }),
      length: fc.integer({ min: 1, max: 90 }),
    })
    const span = fc.record({
      from: fc.integer({ min: 0, max: 150 }),
      length: fc.integer({ min: 1, max: 200 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(stay, { maxLength: 12 }), span, async (stays, { from, length }) => {
        const sessions = stays.map(({ user, from, length }, i) =>
          session(user, time(from), time(from + length), { id: `s${i}` }),
        )
        school(world, { r: { sessions } })
        const inside = Array.from({ length }, (_, i) => from + i)
        const isIn = (user: string | undefined, minute: number) =>
          stays.some(
            (stay) =>
              (user ?? stay.user) === stay.user && stay.from <= minute && minute < stay.from + stay.length,
          )
        const meeting = inside.filter((minute) => isIn(undefined, minute)).length
        const expected = ['ada', 'grace', 'alan'].flatMap((user) => {
          const minutes = inside.filter((minute) => isIn(user, minute)).length
          return minutes === 0
            ? []
            : [{ user_id: user, minutes, share: Math.round((minutes / meeting) * 1000) / 1000 }]
        })
        const { stdout } = await report(
          `r --json --from 2026-01-01T${time(from)}Z --to 2026-01-01T${time(from + length)}Z`,
        )
        const found = JSON.parse(stdout).attendance.map(({ user_id, minutes, share }: any) => ({
          user_id,
          minutes,
          share,
        }))
        const sorted = (list: { user_id: string }[]) =>
          list.toSorted((a, b) => a.user_id.localeCompare(b.user_id))
        expect(sorted(found)).toEqual(sorted(expected))
      }),
      { numRuns: sized(12, 60) },
    )
  })
})

describe('sessions report', () => {
  const art = { sessions: [session('ada', '10:00', '10:30')], members: [member('ada')] }

  test('sessions report prints the rooms in the order of the arguments', async () => {
    school(world, { maths, art })
    expect((await rows('art maths')).map((row) => row.split(',').slice(0, 2).join())).toEqual([
      ...['art,ada', 'maths,ada', 'maths,grace', 'maths,'],
    ])
    const stdin = 'maths\nart\n'
    expect((await report('- -o csv', { stdin })).stdout).toBe((await report('maths art -o csv')).stdout)
  })

  test('sessions report resolves name:NAME and applies --query', async () => {
    school(world, { maths: { ...maths, room: { name: 'Mathematics' } }, art })
    const { code, stdout, stderr } = await report(
      'name:Mathematics art --query attendance[?present].minutes -o tsv',
    )
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '50\n1\n15\n30\n', stderr: '' })
  })

  test('sessions report includes the rooms that match --where, or all rooms with --all-rooms', async () => {
    school(world, { maths, art: { ...art, room: { type: 'private' } } })
    const ids = async (flags: string) => (await report(`${flags} --by room -o ids`)).stdout
    expect(await ids('--where type=private')).toBe('art\n')
    expect(await ids('--all-rooms')).toBe('maths\nart\n')
    expect(await ids('--where type=public')).toBe('')
    expect(paths()).not.toContain('/rooms/art')
  })

  test.each([
    ['', 'no rooms given: pass room IDs, --where or --all-rooms'],
    [' maths --all-rooms', 'IDs, --where and --all-rooms cannot be used together'],
    [' maths --where type=open', 'IDs, --where and --all-rooms cannot be used together'],
    [' maths --by session --absent', '--absent and --by session cannot be used together'],
    [' maths --by session --only-absent', '--only-absent and --by session cannot be used together'],
    [' maths --by user-total --only-absent', '--only-absent and --by user-total cannot be used together'],
    [' maths --from 2h --to 3h', '--from must be earlier than --to 3h, not “2h”'],
    [' maths --from someday', '--from must be a date or time'],
    [' maths --min-minutes 1.5', '--min-minutes must be a whole number, at least 0, not “1.5”'],
  ])('the command “sessions report%s” exits 2 before any request', async (flags, message) => {
    const { code, stdout, stderr } = await world.run([
      'sessions',
      'report',
      ...flags.split(' ').filter(Boolean),
    ])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')[0]).toContain(`error: ${message}`)
    expect(paths()).toEqual([])
  })

  test('sessions report prints the other rooms and exits 8 if one room does not exist', async () => {
    school(world, { maths, art })
    const { code, stdout, stderr } = await report('maths nowhere art -o csv --columns room_id,user_id')
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr:
        'error: no such room: nowhere\nhint: list the rooms with: meetroom rooms list --base-url https://meet.test/v1\n' +
        'error: reported on 2 of 3 rooms; 1 failed\nhint: not in the report: nowhere\n',
    })
    expect(lines(stdout)).toEqual(['room_id,user_id', 'maths,ada', 'maths,grace', 'maths,', 'art,ada'])
  })

  test('sessions report exits 3 with empty stdout if the room does not exist', async () => {
    school(world, { maths })
    for (const format of ['csv', 'ndjson', 'table'])
      expect(await report(`nowhere -o ${format}`)).toMatchObject({ code: 3, stdout: '' })
  })

  test('sessions report exits 4 at the first 401 response', async () => {
    world.intercept = async () => answer(401, { error: { code: 'unauthorized' } })
    const { code } = await report('a b c d e f g h i j k l --concurrency 1 -o csv')
    expect(code).toBe(4)
    expect(new Set(paths()).size).toBe(1)
  })

  test('sessions report exits 8 and names the room if the request for the room gets a 500', async () => {
    school(world, { maths, art })
    const { intercept } = world
    world.intercept = (request, ...rest) =>
      request.url.includes('/art/')
        ? Promise.resolve(answer(500, 'no', { 'content-type': 'text/plain' }))
        : (intercept?.(request, ...rest) ?? Promise.reject())
    const { code, stderr } = await report('maths art -o csv')
    expect(code).toBe(8)
    expect(stderr).toContain('hint: not in the report: art\n')
  })

  test('sessions report --curl prints one request for each room ID', async () => {
    const { code, stdout } = await report('a b --curl')
    expect(code).toBe(0)
    expect(stdout.match(/rooms\/\w+\/sessions\?limit=1000/g)).toHaveLength(2)
    expect(paths()).toEqual([])
  })
})

test.each([
  ['--by user', ['room_name', 'user_id']],
  ['--by room', ['room_name', 'name']],
  ['--by session', ['room_name', 'session_id']],
  ['--by meeting', ['room_name', 'meeting']],
])('sessions report --all-rooms %s prints the column room_name in CSV and in tables', async (by, columns) => {
  const lesson = { room: { name: 'Maths 7a' }, sessions: [session('ada', '08:00', '09:00')] }
  school(world, { a: lesson, b: { ...lesson, room: { name: 'Maths 7b' } } })
  const flags = `--all-rooms ${by} --columns ${columns.join()} --no-header`
  for (const format of ['csv', 'table']) {
    const { code, stdout } = await report(`${flags} -o ${format}`)
    expect({ code, rooms: [...new Set(stdout.match(/Maths 7[ab]/g))] }).toEqual({
      code: 0,
      rooms: ['Maths 7a', 'Maths 7b'],
    })
  }
})

test.each([
  ['sessions report --all-rooms --columns room', 'no participant has a field “room”'],
  ['sessions report --all-rooms --by room -o csv --columns timeline', 'no room has a field “timeline”'],
  ['sessions report --all-rooms --columns missed', 'no participant has a field “missed”'],
  ['usage --columns room', 'no month has a field “room”'],
  ['users rooms ada --columns room', 'no membership has a field “room”'],
])('the command “%s” exits 2 with the error “%s” before any request', async (line, message) => {
  const { code, stdout, stderr } = await world.run(line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(message)
  expect(paths()).toEqual([])
})

describe('participant names in sessions report', () => {
  test('sessions report requests no members if the sessions contain names', async () => {
    school(world, { r: { sessions: [session('ada', '08:00', '09:00', { name: 'Ada' })] } })
    expect((await rows('r'))[0]).toMatch(/^r,ada,Ada,/)
    expect(paths()).toEqual(['/rooms/r/sessions?limit=1000', '/rooms/r'])
    await report('r')
    expect(paths().slice(2)).toEqual(['/rooms/r/sessions?limit=1000'])
  })

  test('sessions report reads participant names from the list of users if the members have no names', async () => {
    const nameless = { id: 'm-ada', user_id: 'ada', type: 'guest' }
    const lesson = { sessions: [session('ada', '08:00', '09:00')], members: [nameless] }
    school(world, { a: lesson, b: lesson, c: lesson }, [{ user_id: 'ada', name: 'Ada Lovelace' }])
    const found = await rows('a b c --concurrency 1')
    expect(found.map((row) => row.split(',')[2])).toEqual(Array(3).fill('Ada Lovelace'))
    expect(paths().filter((path) => path.startsWith('/users'))).toEqual(['/users?limit=1000'])
    // The members of the first room have no names, so no other member list is requested.
    expect(paths().filter((path) => path.includes('/members'))).toHaveLength(1)
  })

  test('sessions report prints an empty name for a user who is not a member of the room', async () => {
    school(world, { r: { sessions: [session('gone', '08:00', '09:00')], members: [member('ada')] } })
    expect((await rows('r'))[0]).toMatch(/^r,gone,,2026/)
  })

  test('sessions report prints the names of absent members if the list of members omits names', async () => {
    const { id } = (await world.send('POST', '/rooms', { name: 'R', type: 'private' })).body.room
    await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
    await world.send('POST', `/rooms/${id}/members`, { user_id: 'ada' })
    otherService(world, { minimalLists: true })
    const { stdout } = await report(`${id} --absent -o csv`)
    expect(lines(stdout)[1]).toBe(`${id},ada,Ada,,,0,0,,false,R`)
  })
})

describe('sessions report with another service', () => {
  const oddRoom = (room: object, ...sessions: object[]) =>
    school(world, {
      r: {
        room: room as Record<string, unknown>,
        sessions: sessions as Record<string, unknown>[],
        members: [member('ada')],
      },
    })
  const row = async () => {
    const { code, stdout, stderr } = await report('r -o csv')
    expect(code).toBe(0)
    return {
      rows: lines(stdout)
        .slice(1)
        .map((text) => text.replace(/,r$/, '')),
      stderr,
    }
  }

  test('sessions report counts a session without an end up to the termination of the room', async () => {
    oddRoom({ terminated_at: '2026-01-01T08:30:00Z' }, session('ada', '08:00', null))
    expect(await row()).toEqual({
      rows: ['r,ada,ADA,2026-01-01T08:00:00.000Z,2026-01-01T08:30:00.000Z,1,30,1,true'],
      stderr:
        'warning: sessions without an end in a terminated room count up to the termination, if its time is known: 1 in room r\n',
    })
  })

  test('sessions report counts zero minutes for a session without an end if the termination time is unknown', async () => {
    oddRoom({ is_terminated: true }, session('ada', '08:00', null))
    expect((await row()).rows).toEqual(['r,ada,ADA,2026-01-01T08:00:00.000Z,,1,0,,true'])
  })

  test('sessions report --min-minutes compares exact times, and shows the same minutes by user and by meeting', async () => {
    const at = (time: string) => `2026-01-01T${time}Z`
    oddRoom(
      {},
      session('ada', '08:00', '08:45'),
      session('bob', '', '', { connected_at: at('08:00:03.1'), disconnected_at: at('08:09:57.3') }),
      session('eve', '', '', { connected_at: at('08:00:00.1'), disconnected_at: at('08:09:59.9') }),
      session('joe', '', '', { connected_at: at('08:00:00.1'), disconnected_at: at('08:10:00.1') }),
    )
    const rows = async (flags: string) => {
      const { stdout } = await report(`r --min-minutes 10 --absent -o csv --no-header ${flags}`)
      return lines(stdout).sort()
    }
    const byUser = await rows('--columns user_id,minutes,share,present')
    expect(byUser).toEqual(['ada,45,1,true', 'bob,9.9,0.22,false', 'eve,10,0.222,false', 'joe,10,0.222,true'])
    expect(await rows('--by meeting --columns user_id,room_minutes,share,present')).toEqual(byUser)
  })

  test.each([
    ['a session that ends before its start', '2026-01-01T08:00:00Z'],
    ['a session whose end is unreadable', 'soon'],
  ])('sessions report treats %s as online', async (_, disconnected_at) => {
    oddRoom({}, session('ada', '09:00', null, { disconnected_at }))
    const { code, stdout, stderr } = await report('r -o csv --to 2026-01-01T09:30:00Z')
    expect({ code, rows: lines(stdout).slice(1), stderr }).toEqual({
      code: 0,
      rows: ['r,ada,ADA,2026-01-01T09:00:00.000Z,2026-01-01T09:30:00.000Z,1,30,1,true,r'],
      stderr:
        'warning: sessions with an unreadable end, or an end before the start, count as running: 1 in room r\n',
    })
  })

  test('sessions report counts a session that ends before its start up to the termination of the room', async () => {
    oddRoom({ terminated_at: '2026-01-01T09:20:00Z' }, session('ada', '09:00', '08:00'))
    expect((await row()).rows).toEqual([
      'r,ada,ADA,2026-01-01T09:00:00.000Z,2026-01-01T09:20:00.000Z,1,20,1,true',
    ])
  })

  test('sessions report exits 8 if no session of a room has a readable start time', async () => {
    const broken = session('ada', '08:00', '09:00', { connected_at: 'soon' })
    const sessions = Array(12).fill(broken)
    const says = 'none of its sessions has a readable connected_at'
    school(world, { r: { sessions }, s: { sessions: [session('grace', '08:00', '08:30')] } })
    expect(await report('r -o csv')).toMatchObject({ code: 8, stderr: `error: room r: ${says}\n` })
    const { code, stdout, stderr } = await report('r s -o csv')
    expect({ code, rows: lines(stdout).length, stderr }).toEqual({
      code: 8,
      rows: 2,
      stderr: expect.stringContaining(`room r: ${says}\n`),
    })
  })

  test('sessions report exits 8 if the list of rooms is incomplete', async () => {
    const lesson = { sessions: [session('ada', '08:00', '08:30')], members: [member('ada')] }
    school(world, { r: lesson, s: lesson })
    const { intercept = async (_, next) => next() } = world
    world.intercept = async (request, next, signal) => {
      const { pathname, searchParams } = new URL(request.url)
      if (pathname !== '/v1/rooms') return intercept(request, next, signal)
      const rooms = ['r', 's'].map((id) => ({ id, name: id, type: 'open' }))
      return answer(200, { rooms: searchParams.has('offset') ? [] : rooms, paging: { total: 30 } })
    }
    for (const selected of ['--all-rooms', '--where type=open']) {
      const { code, stdout, stderr } = await report(`${selected} -o csv`)
      expect({
        code,
        rows: lines(stdout)
          .slice(1)
          .map((text) => text.slice(0, 5)),
        stderr,
      }).toEqual({
        code: 8,
        rows: ['r,ada', 's,ada'],
        stderr: expect.stringContaining('the service listed 2 of 30 rooms'),
      })
    }
  })

  test('sessions report omits sessions with a missing or invalid start time', async () => {
    const broken = { connected_at: 'soon', disconnected_at: null }
    oddRoom({}, session('ada', '08:00', '09:00'), session('ada', '07:00', '07:30', broken), { id: 'x' })
    expect(await row()).toEqual({
      rows: ['r,ada,ADA,2026-01-01T08:00:00.000Z,2026-01-01T09:00:00.000Z,1,60,1,true'],
      stderr: 'warning: sessions without a readable start are omitted: 2 in room r\n',
    })
  })

  test('sessions report groups sessions without a user ID by member', async () => {
    const { user_id: _, ...unnamed } = session('ada', '08:00', '08:30')
    const nobody = { ...unnamed, id: 'n1', member_id: undefined }
    oddRoom({}, unnamed, { ...unnamed, id: 'm', member_id: 'm7' }, nobody, { ...nobody, id: 'n2' })
    expect((await row()).rows.map((text) => text.split(',').slice(1, 3).join())).toEqual([
      'ada,ADA',
      ',m7',
      ',',
      ',',
    ])
  })

  test('sessions report marks a member as present if the session contains only the member ID', async () => {
    const lost = session(null, '08:00', '08:30', { member_id: 'm-ada' })
    oddRoom({}, lost)
    expect(await rows('r --absent')).toEqual([
      'r,ada,ADA,2026-01-01T08:00:00.000Z,2026-01-01T08:30:00.000Z,1,30,1,true',
    ])
  })

  test('sessions report accepts numeric IDs', async () => {
    const one = session('1', '08:00', '08:30', { user_id: 1, member_id: 7 })
    school(world, {
      r: {
        sessions: [one],
        members: [
          { id: 7, user_id: 1, name: 'One' },
          { id: 8, user_id: 2, name: 'Two' },
        ],
      },
    })
    expect(await rows('r --absent')).toEqual([
      'r,1,One,2026-01-01T08:00:00.000Z,2026-01-01T08:30:00.000Z,1,30,1,true',
      'r,2,Two,,,0,0,0,false',
    ])
  })

  test('sessions report reads all sessions despite small pages, shifting pages or a refused limit', async () => {
    const many = Array.from({ length: 70 }, (_, i) =>
      session(`u${i % 7}`, '08:00', '08:30', { id: `s${i}`, name: 'N' }),
    )
    const { id } = (await world.send('POST', '/rooms', { name: 'R', type: 'open' })).body.room
    const connections = async () =>
      (await rows(id)).map((text) => Number(text.split(',')[5])).reduce((sum, one) => sum + one, 0)
    otherService(world, { sessions: { items: many, paged: true }, maxLimit: 10 })
    expect(await connections()).toBe(70)
    otherService(world, { sessions: { items: many, paged: false } })
    expect(await connections()).toBe(70)
    otherService(world, { sessions: { items: many, paged: false }, refusedLimits: { above: 1, status: 400 } })
    expect(await connections()).toBe(70)
    // A session that begins between two page requests shifts the list by one.
    let asked = 0
    world.intercept = async ({ url }) => {
      if (!url.includes('/sessions')) return answer(200, { room: { id, name: 'R', type: 'open' } })
      const offset = Number(new URL(url).searchParams.get('offset') ?? 0)
      const moved = asked++ === 0 ? many : [session('new', '08:00', '08:30', { name: 'N' }), ...many]
      const items = moved.slice(offset, offset + 30)
      return answer(200, { sessions: items, paging: { limit: 30, offset, total: moved.length } })
    }
    expect(await connections()).toBeGreaterThanOrEqual(70)
  })
})

test('sessions report escapes control characters from the service on a terminal', async () => {
  const name = '\u001b[31mred\u202e\n'
  school(world, { r: { sessions: [session('ada', '08:00', '09:00', { name })] } })
  const { stdout } = await report('r --no-color', { tty: true, columns: 120 })
  expect(stdout).toContain('\\u001b[31mred\\u202e\\n')
})

test('sessions report exits 0 without a message when the reader closes the pipe', async () => {
  school(world, { maths, art: maths })
  const { host, done } = world.start(['sessions', 'report', 'maths', 'art', '-o', 'ndjson'])
  host.stdout.failure = Object.assign(new Error(), { code: 'EPIPE' })
  expect(await done).toMatchObject({ code: 0, stderr: '' })
})
