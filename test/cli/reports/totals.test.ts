import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { otherService } from '../../helpers/other-service.ts'
import { perTest } from '../../helpers/per-test.ts'
import { member, school } from '../../helpers/school.ts'
import { term, visit } from '../../helpers/term.ts'
import { createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

const zone = '--time-zone Europe/Berlin'
const report = (line: string, options = {}) =>
  world.run(`sessions report --all-rooms ${zone} ${line}`, options)

async function rows(line: string): Promise<string[]> {
  const { code, stdout, stderr } = await report(`${line} -o csv`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\r\n').slice(0, -1)
}

describe('a report by user-total', () => {
  beforeEach(() => term(world))

  test('sessions report --by user-total counts overlapping sessions once in the column minutes', async () => {
    expect(await rows('--by user-total')).toEqual([
      'user_id,name,rooms,days,meetings,first_in,last_out,room_minutes,minutes',
      'ada,ADA,2,3,4,2025-10-24T08:00:00.000Z,2025-10-26T00:30:00.000Z,290,275',
      'grace,GRACE,2,1,2,2025-10-24T08:05:00.000Z,2025-10-24T09:00:00.000Z,70,55',
      ',m-null,1,2,1,2025-10-31T22:50:00.000Z,2025-10-31T23:10:00.000Z,20,20',
    ])
  })

  test('sessions report --by user-total --missed N lists users who missed at least N meetings', async () => {
    expect(await rows('--by user-total --missed 2 --columns user_id,meetings,missed')).toEqual([
      'user_id,meetings,missed',
      'alan,0,4',
      'grace,2,3',
    ])
    expect((await rows('--by user-total --missed 1 --columns user_id,missed')).slice(1)).toEqual([
      'alan,4',
      'grace,3',
      'ada,1',
    ])
  })

  test('sessions report --by user-total --absent lists invited users who did not attend', async () => {
    expect((await rows('--by user-total --absent --columns user_id,meetings,missed')).slice(1)).toEqual([
      'alan,0,4',
      'grace,2,3',
      'ada,4,1',
      ',1,0',
    ])
  })

  test('sessions report --by user-total --min-minutes counts a shorter attendance as a missed meeting', async () => {
    expect(
      (
        await rows(
          '--by user-total --min-minutes 30 --missed 1 --columns user_id,meetings,missed,room_minutes',
        )
      ).slice(1),
    ).toEqual(['alan,0,4,0', 'grace,2,3,70', 'ada,3,2,270'])
  })

  test('sessions report --by user-total,month or month,user-total prints one row per user and month', async () => {
    expect((await rows('--by user-total,month --columns user_id,month,room_minutes')).slice(1)).toEqual([
      'ada,2025-10,290',
      'grace,2025-10,70',
      ',2025-10,10',
      ',2025-11,10',
    ])
    expect((await rows('--by month,user-total --columns user_id,month,room_minutes')).slice(1)).toEqual([
      'ada,2025-10,290',
      'grace,2025-10,70',
      ',2025-10,10',
      ',2025-11,10',
    ])
  })

  test('sessions report --by user-total -o ids prints the user IDs', async () => {
    expect(await report('--by user-total -o ids')).toMatchObject({ stdout: 'ada\ngrace\n', stderr: '' })
  })
})

describe('a report by meeting', () => {
  beforeEach(() => term(world))

  test('sessions report --by meeting groups the sessions of a room into meetings', async () => {
    expect(await rows('--by meeting --to 2025-10-25')).toEqual([
      'room_id,room_name,meeting,meeting_start,meeting_end,user_id,name,role,first_in,last_out,room_minutes,share,present',
      'maths,Mathematics 7b,1,2025-10-24T08:00:00.000Z,2025-10-24T08:45:00.000Z,ada,ADA,host,2025-10-24T08:00:00.000Z,2025-10-24T08:45:00.000Z,45,1,true',
      'maths,Mathematics 7b,1,2025-10-24T08:00:00.000Z,2025-10-24T08:45:00.000Z,grace,GRACE,guest,2025-10-24T08:05:00.000Z,2025-10-24T08:45:00.000Z,40,0.889,true',
      'maths,Mathematics 7b,2,2025-10-24T10:00:00.000Z,2025-10-24T10:45:00.000Z,ada,ADA,host,2025-10-24T10:00:00.000Z,2025-10-24T10:45:00.000Z,45,1,true',
      'art,Art,1,2025-10-24T08:30:00.000Z,2025-10-24T09:00:00.000Z,ada,ADA,guest,2025-10-24T08:30:00.000Z,2025-10-24T08:50:00.000Z,20,0.667,true',
      'art,Art,1,2025-10-24T08:30:00.000Z,2025-10-24T09:00:00.000Z,grace,GRACE,monitor,2025-10-24T08:30:00.000Z,2025-10-24T09:00:00.000Z,30,1,true',
    ])
  })

  test('sessions report --by meeting --gap merges meetings with a shorter pause', async () => {
    const meetings = async (line: string) =>
      (await rows(`--by meeting --to 2025-10-25 --columns room_id,meeting,user_id ${line}`)).slice(1)
    expect(await meetings('--gap 76m')).toEqual(['maths,1,ada', 'maths,1,grace', 'art,1,ada', 'art,1,grace'])
    // A pause as long as the gap separates meetings.
    expect(await meetings('--gap 75m')).toContain('maths,2,ada')
  })

  test('sessions report --by meeting --min-minutes marks members with less time as absent', async () => {
    const lines = await rows(
      '--by meeting --absent --min-minutes 30 --to 2025-10-25 --columns room_id,meeting,user_id,room_minutes,present',
    )
    expect(lines.slice(1)).toEqual([
      'maths,1,ada,45,true',
      'maths,1,grace,40,true',
      'maths,1,alan,0,false',
      'maths,2,ada,45,true',
      'maths,2,grace,0,false',
      'maths,2,alan,0,false',
      'art,1,ada,20,false',
      'art,1,grace,30,true',
    ])
  })

  test('sessions report --by meeting -o json prints a null meeting_end for an ongoing meeting', async () => {
    school(world, { maths: { sessions: [visit('ada', '12-31T08:00', null)], members: [member('ada')] } })
    const { stdout } = await report('--by meeting -o json')
    expect(JSON.parse(stdout).attendance[0]).toMatchObject({
      meeting_start: '2025-12-31T08:00:00.000Z',
      meeting_end: null,
      last_out: null,
    })
  })

  test('sessions report --by meeting merges several memberships of a user into one row', async () => {
    const sessions = [
      visit(null, '10-24T08:00', '10-24T08:30', { member_id: 'm-ada' }),
      visit(null, '10-24T08:20', '10-24T08:40', { member_id: 'second' }),
    ]
    const members = [member('ada', { type: 'host' }), member('ada', { id: 'second' })]
    school(world, { maths: { sessions, members } })
    expect((await rows('--by meeting --columns user_id,role,room_minutes')).slice(1)).toEqual(['ada,host,40'])
  })
})

describe('a report by period', () => {
  beforeEach(() => term(world))

  test('sessions report --by day, week or month prints one row per period in the given time zone', async () => {
    expect(await rows('--by day')).toEqual([
      'day,participants,rooms,days,meetings,room_minutes',
      '2025-10-24,2,2,1,3,180',
      '2025-10-25,1,1,1,1,30',
      '2025-10-26,1,1,1,1,150',
      '2025-10-31,1,1,1,1,10',
      '2025-11-01,1,1,1,1,10',
    ])
    expect((await rows('--by week --columns week,room_minutes')).slice(1)).toEqual([
      '2025-W43,360',
      '2025-W44,20',
    ])
    expect((await rows('--by month --columns month,room_minutes')).slice(1)).toEqual([
      '2025-10,370',
      '2025-11,10',
    ])
    expect((await rows('--by month --columns month,room_minutes --time-zone utc')).slice(1)).toEqual([
      '2025-10,380',
    ])
  })

  test('sessions report --by room,month and --by user,month include names', async () => {
    expect(await rows('--by room,month')).toEqual([
      'month,room_id,room_name,participants,days,meetings,room_minutes',
      '2025-10,maths,Mathematics 7b,3,4,4,320',
      '2025-11,maths,Mathematics 7b,1,1,1,10',
      '2025-10,art,Art,2,1,1,50',
    ])
    expect(await rows('--by user,month --period 2025-11')).toEqual([
      'month,room_id,room_name,user_id,name,role,days,meetings,first_in,last_out,room_minutes',
      '2025-11,maths,Mathematics 7b,,m-null,,1,1,2025-10-31T23:00:00.000Z,2025-10-31T23:10:00.000Z,10',
    ])
  })

  test('sessions report --by month sends no request for members or names', async () => {
    await rows('--by month')
    const paths = world.requests.map(({ url }) => new URL(url).pathname)
    expect([...new Set(paths)]).toEqual(['/v1/rooms', '/v1/rooms/maths/sessions', '/v1/rooms/art/sessions'])
  })

  test('sessions report --by month -o ids exits 2 because a period has no ID', async () => {
    expect(await report('--by month -o ids')).toMatchObject({
      code: 2,
      stderr: 'error: a period has no ID to print\n',
    })
  })
})

test.each([
  ['--by users', '--by must be user, room, session, user-total, meeting, day, week or month, not “users”'],
  ['--by day,month', '--by cannot combine day and month'],
  ['--by user,room', '--by cannot combine user and room'],
  ['--by session,day', '--by cannot combine session and day'],
  ['--by month,month', '--by cannot combine month and month'],
  ['--by month --absent', '--absent and --by month cannot be used together'],
  ['--by meeting --missed 2', '--missed and --by meeting cannot be used together'],
  ['--gap 10m', '--gap and --by user cannot be used together'],
  ['--period 2026-13', /^--period must be today, .* or 2026-10 \(month\), not “2026-13”$/],
  ['--period today --from 7d', '--period and --from cannot be used together'],
  ['--period today --to 1d', '--period and --to cannot be used together'],
])('sessions report %s exits 2', async (line, message) => {
  const { code, stdout, stderr } = await report(line)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr.split('\n')[0]?.replace('error: ', '')).toMatch(message)
  expect(world.requests).toEqual([])
})

describe('room_minutes', () => {
  const minute = 60_000
  /** Start of 40 days with clock changes in both hemispheres. */
  const start = Date.UTC(2025, 9, 3)
  const moment = fc.integer({ min: 0, max: 60 * 24 * 40 })
  const session = fc.record({
    user: fc.constantFrom('ada', 'bob', 'eve', null),
    from: moment,
    seconds: fc.oneof(fc.integer({ min: 0, max: 7200 }), fc.integer({ min: 0, max: 300_000 })),
  })
  const rooms = fc.array(fc.array(session, { maxLength: 12 }), { minLength: 1, maxLength: 4 })
  const zones = ['utc', 'Europe/Berlin', 'America/Santiago', 'Australia/Lord_Howe', 'America/St_Johns']
  const groupings = [
    ...[
      'user-total',
      'meeting',
      'month',
      'week',
      'day',
      'user-total,month',
      'day,meeting',
      'room,week',
      'user,day',
    ],
  ]

  test('sessions report has the same sum of room_minutes for each grouping across clock changes', async () => {
    const options = fc.record({
      zone: fc.constantFrom(...zones),
      gap: fc.constantFrom('1s', '15m', '3h'),
      least: fc.constantFrom(0, 5, 45),
      period: fc.constantFrom('', '--period 2025-10', '--from 2025-10-05T12:34 --to 2025-11-02'),
    })
    const property = fc.asyncProperty(rooms, options, async (rooms, { zone, gap, least, period }) => {
      const lessons = rooms.map((sessions, i) => [
        `room-${i}`,
        {
          members: [member('ada'), member('bob')],
          sessions: sessions.map(({ user, from, seconds }, n) => ({
            ...{ id: `${i}-${n}`, user_id: user, member_id: `m-${user}` },
            connected_at: new Date(start + from * minute + n * 123).toISOString(),
            disconnected_at: new Date(start + from * minute + n * 123 + seconds * 1000).toISOString(),
          })),
        },
      ])
      school(world, Object.fromEntries(lessons))
      const flags =
        `--all-rooms -o ndjson --time-zone ${zone} --gap ${gap} --min-minutes ${least} ${period}`.trim()
      const sums: Record<string, number> = {}
      for (const by of groupings) {
        const { code, stdout } = await world.run(`sessions report ${flags} --by ${by}`)
        expect(code).toBe(0)
        const rows = stdout
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line))
        sums[by] = rows.reduce((sum, row) => sum + Math.round(row.room_minutes * 10), 0)
        for (const row of rows)
          if ('minutes' in row) expect(row.minutes).toBeLessThanOrEqual(row.room_minutes)
      }
      expect(sums).toEqual(Object.fromEntries(groupings.map((by) => [by, sums['month']])))
      if (least > 0 || period !== '') return
      expect(Math.abs((sums['month'] ?? 0) / 10 - unionMinutes(rooms))).toBeLessThanOrEqual(
        0.1 * rooms.flat().length,
      )
    })
    await fc.assert(property, { numRuns: sized(8, 25) })
  })

  /** Counts the minutes of each user in each room, second by second; returns the sum. */
  function unionMinutes(rooms: readonly { user: string | null; from: number; seconds: number }[][]): number {
    let total = 0
    for (const sessions of rooms)
      for (const user of new Set(sessions.map((one) => one.user))) {
        const seconds = new Set<number>()
        for (const one of sessions)
          if (one.user === user) for (let i = 0; i < one.seconds; i++) seconds.add(one.from * 60 + i)
        total += seconds.size
      }
    return total / 60
  }
})

describe('a report of totals on another service', () => {
  const items = (member_id: string) => [
    visit('ada', '10-24T08:00', '10-24T08:45', { member_id: undefined, connected_at: 1_761_292_800 }),
    visit('ada', '10-24T10:00', '10-24T10:45', { member_id }),
    visit('ada', '11-24T10:00', '11-24T10:30', { member_id }),
  ]

  test.each([
    [true, { minimalLists: true, ids: 'number', numbersAsText: true } as const],
    [false, { leavesNullsOut: true, ids: 'uuid', unlisted: { extra: 1 } } as const],
    [true, { refusedLimits: { above: 100, status: 422 } } as const],
  ])(
    'sessions report counts every session if session paging is %s and the service differs by %j',
    async (paged, differences) => {
      const { body } = await world.send('POST', '/rooms', { name: 'Lesson', type: 'open' })
      await world.send('POST', '/users', { user_id: 'ada', name: 'Ada' })
      const added = await world.send('POST', `/rooms/${body.room.id}/members`, {
        user_id: 'ada',
        type: 'host',
      })
      const sessions = { items: [] as readonly object[], paged }
      const { idOf } = otherService(world, { ...differences, sessions: sessions as never })
      sessions.items = items(idOf(added.body.member.id))
      const { stdout, code } = await report(
        '--by user-total,month -o csv --columns user_id,name,month,meetings,room_minutes',
      )
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout:
          'user_id,name,month,meetings,room_minutes\r\n' +
          'ada,Ada,2025-10,2,90\r\n' +
          'ada,Ada,2025-11,1,30\r\n',
      })
      expect(
        (await report('--by meeting -o csv --columns room_id,room_name,meeting,user_id,role --no-header'))
          .stdout,
      ).toBe([1, 2, 3].map((n) => `${idOf(body.room.id)},Lesson,${n},ada,host\r\n`).join(''))
    },
  )
})

test('sessions report --by month covers the other rooms and exits 8 if a room does not exist', async () => {
  term(world)
  const { code, stdout, stderr } = await world.run(
    'sessions report maths nowhere --by month -o csv --no-header --time-zone utc',
  )
  expect({ code, stdout }).toEqual({ code: 8, stdout: '2025-10,3,1,4,4,330\r\n' })
  expect(stderr).toContain('reported on 1 of 2 rooms; 1 failed')
})

const bars = { tty: true, env: { LANG: 'en_US.UTF-8', NO_COLOR: '1' } }

describe('the table of totals on a terminal', () => {
  beforeEach(() => term(world))

  test.each([60, 80, 200])(
    'sessions report prints tables of totals that fit a terminal of %i columns',
    async (columns) => {
      for (const by of ['user-total', 'meeting', 'month', 'user-total,week', 'user,day', 'room,month']) {
        const { code, stdout } = await report(`--by ${by}`, { ...bars, columns })
        expect(code).toBe(0)
        const lines = stdout.split('\n').slice(0, -1)
        expect(lines.filter((line) => line.length > columns)).toEqual([])
        const hasDrawing = by !== 'meeting' || columns > 60
        expect(lines.slice(2).every((line) => /[▏▎▍▌▋▊▉█░▒]$/.test(line))).toBe(hasDrawing)
        expect(lines[0]).toContain('ROOM MINUTES')
      }
    },
  )

  test('sessions report on a terminal shows bars with --by user-total, and timelines with --by meeting', async () => {
    expect((await report('--by user-total', { ...bars, columns: 60 })).stdout).toBe(
      'NAME    MEETINGS  ROOM MINUTES  MINUTES\n' +
        '──────  ────────  ────────────  ───────  ───────────────────\n' +
        'ADA     4         290.0         275.0    ███████████████████\n' +
        'GRACE   2         70.0          55.0     ████▋\n' +
        'm-null  1         20.0          20.0     █▎\n',
    )
    expect((await report('--by meeting --to 2025-10-25', { ...bars, columns: 80 })).stdout).toBe(
      'ROOM NAME       MEETING START     NAME   ROLE     ROOM MINUTES  TIMELINE\n' +
        '──────────────  ────────────────  ─────  ───────  ────────────  ────────────────\n' +
        'Mathematics 7b  2025-10-24 10:00  ADA    host     45.0          ████████████████\n' +
        'Mathematics 7b  2025-10-24 10:00  GRACE  guest    40.0          ░▒██████████████\n' +
        'Mathematics 7b  2025-10-24 12:00  ADA    host     45.0          ████████████████\n' +
        'Art             2025-10-24 10:30  ADA    guest    20.0          ██████████▒░░░░░\n' +
        'Art             2025-10-24 10:30  GRACE  monitor  30.0          ████████████████\n',
    )
    const ends = await report('--by meeting --to 2025-10-25 --columns meeting_end,meeting_start', bars)
    expect(ends.stdout).toContain('2025-10-24 10:45  2025-10-24 10:00')
  })

  test.each([
    [60, ['ROOM NAME', 'MEETING START', 'NAME', 'PRESENT']],
    [80, ['ROOM NAME', 'MEETING START', 'NAME', 'ROOM MINUTES', 'PRESENT']],
  ])(
    'sessions report --by meeting --absent shows room and presence on a terminal of %i columns',
    async (columns, titles) => {
      const { stdout } = await report('--by meeting --absent --to 2025-10-25', { ...bars, columns })
      expect(stdout.split('\n')[0]?.split(/ {2,}/).filter(Boolean).slice(0, titles.length)).toEqual(titles)
    },
  )

  test('sessions report --ascii draws ASCII bars on a terminal', async () => {
    const { stdout } = await report('--by user-total --ascii', { ...bars, columns: 60 })
    expect(stdout).toMatch(/^[\n -~]*$/)
    expect(stdout).toContain('GRACE   2         70.0          55.0     #####\n')
  })
})
