import { beforeEach, describe, expect, test } from 'vitest'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { school } from '../../../helpers/school.ts'
import { term, visit } from '../../../helpers/term.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)
beforeEach(() => term(world))

const notice = 'deleted rooms are missing\n'
const usage = (line = '', options = {}) =>
  world.run(`usage --month 2025-10 --time-zone Europe/Berlin ${line}`.trim(), options)

describe('usage', () => {
  test('usage prints the totals and the peak of a month, and a notice about deleted rooms', async () => {
    const { code, stdout, stderr } = await usage('-o json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: notice })
    expect(JSON.parse(stdout)).toEqual({
      usage: [
        {
          ...{ month: '2025-10', rooms: 2, participants: 3, meetings: 5, room_minutes: 370 },
          ...{ peak: 2, peak_time: '2025-10-24T08:05:00.000Z' },
        },
      ],
    })
  })

  test('usage --by room prints one row for each used room', async () => {
    expect((await usage('--by room -o csv')).stdout).toBe(
      'month,room_id,room_name,participants,meetings,room_minutes,peak,peak_time\r\n' +
        '2025-10,maths,Mathematics 7b,3,4,320,2,2025-10-24T08:05:00.000Z\r\n' +
        '2025-10,art,Art,2,1,50,2,2025-10-24T08:30:00.000Z\r\n',
    )
    expect(await usage('--by room -o ids')).toMatchObject({ stdout: 'maths\nart\n', stderr: notice })
  })

  test('usage --by room prints the name of a room if the list of rooms omits the name', async () => {
    const sessions = [visit('ada', '10-01T08:00', '10-01T09:00')]
    school(world, { one: { room: { name: 'Maths' }, sessions } })
    const read = world.intercept
    const paging = { limit: 30, offset: 0, total: 1 }
    world.intercept = async (request, ...rest) =>
      new URL(request.url).pathname.endsWith('/rooms')
        ? answer(200, { rooms: [{ id: 'one', type: 'open' }], paging })
        : (read?.(request, ...rest) ?? answer(404, {}))
    expect((await usage('--by room')).stdout).toContain('Maths')
  })

  test('usage --min-minutes 45 counts only participants with at least 45 minutes in a meeting', async () => {
    expect((await usage('--min-minutes 45 -o csv --no-header')).stdout).toBe(
      '2025-10,1,1,3,270,1,2025-10-24T08:00:00.000Z\r\n',
    )
  })

  test('usage counts a participant with concurrent sessions in two rooms once in the peak', async () => {
    const at = ['10-01T08:00', '10-01T09:00'] as const
    school(world, { one: { sessions: [visit('ada', ...at)] }, two: { sessions: [visit('ada', ...at)] } })
    expect((await usage('-o csv --no-header --columns participants,room_minutes,peak')).stdout).toBe(
      '1,120,1\r\n',
    )
  })

  test('usage counts a session of zero minutes in the peak', async () => {
    const sessions = [visit('ada', '10-01T08:00', '10-01T09:00'), visit('bob', '10-01T09:00', '10-01T10:00')]
    school(world, { one: { sessions: [...sessions, visit('eve', '10-01T09:30', '10-01T09:30')] } })
    expect((await usage('-o csv --no-header --columns peak,peak_time')).stdout).toBe(
      '2,2025-10-01T09:30:00.000Z\r\n',
    )
  })

  test('usage prints zeros for a month without meetings', async () => {
    const empty = await world.run('usage --month 2024-02 -o csv --no-header')
    expect(empty).toMatchObject({ code: 0, stdout: '2024-02,0,0,0,0,0,\r\n', stderr: notice })
    expect((await world.run('usage --month 2024-02 --by room')).stderr).toBe(`no rooms were used\n${notice}`)
  })

  test('usage covers the current month by default, and the previous month with --month last-month', async () => {
    const month = async (line: string) =>
      (await world.run(`usage --query usage[0].month ${line}`.trim())).stdout
    expect([await month(''), await month('--month last-month')]).toEqual(['"2026-01"\n', '"2025-12"\n'])
  })

  test('usage --where counts only matching rooms', async () => {
    expect((await usage('--where name=Art -o csv --no-header --columns rooms,room_minutes')).stdout).toBe(
      '1,50\r\n',
    )
  })

  test.each(['2025-13', 'today', 'spring'])('usage --month %s exits 2 before any request', async (month) => {
    expect(await world.run(`usage --month ${month}`)).toMatchObject({
      code: 2,
      stderr: `error: --month must be a month such as 2026-10, this-month or last-month, not “${month}”\n`,
    })
    expect(world.requests).toEqual([])
  })

  test('usage covers the other rooms and exits 8 if the sessions of one room cannot be read', async () => {
    const { intercept } = world
    world.intercept = (request, next, signal) =>
      request.url.includes('/art/sessions')
        ? Promise.resolve({ status: 500, headers: {}, body: new Uint8Array() })
        : (intercept ?? next)(request, next, signal)
    const { code, stdout, stderr } = await usage(
      '-o csv --no-header --columns rooms,room_minutes --retries 0',
    )
    expect({ code, stdout }).toEqual({ code: 8, stdout: '1,320\r\n' })
    expect(stderr).toContain('reported on 1 of 2 rooms; 1 failed')
  })

  test('usage counts the sessions of a service that omits fields in lists and sends numbers as text', async () => {
    world.intercept = undefined
    await world.send('POST', '/rooms', { name: 'Lesson', type: 'open' })
    const items = [visit('ada', '10-24T08:00', '10-24T08:45'), visit('bob', '10-24T08:30', '10-24T09:00')]
    const odd = { minimalLists: true, numbersAsText: true, ids: 'number' } as const
    otherService(world, { ...odd, sessions: { items, paged: true } })
    expect(
      (await usage('-o csv --no-header --columns rooms,participants,meetings,room_minutes,peak')).stdout,
    ).toBe('1,2,1,75,2\r\n')
  })
})

describe('usage on a terminal', () => {
  const terminal = { tty: true, env: { LANG: 'en_US.UTF-8', NO_COLOR: '1' } }

  test('usage on a terminal of 60 columns lists the omitted columns without suggesting --columns', async () => {
    expect((await usage('', { ...terminal, columns: 60 })).stderr).toBe(
      `columns omitted for width: participants, rooms\n${notice}`,
    )
  })

  test('usage on a terminal draws a bar for each day with meetings', async () => {
    const { stdout, stderr } = await usage('', { ...terminal, columns: 80 })
    expect(stdout).toBe(
      'month         2025-10\n' +
        'rooms         2\n' +
        'participants  3\n' +
        'meetings      5\n' +
        'room_minutes  370.0\n' +
        'peak          2\n' +
        'peak_time     2025-10-24 10:05\n' +
        '\n' +
        'DAY         PARTICIPANTS  ROOMS  MEETINGS  ROOM MINUTES\n' +
        '──────────  ────────────  ─────  ────────  ────────────  ───────────────────────\n' +
        '2025-10-24  2             2      3         180.0         ███████████████████████\n' +
        '2025-10-25  1             1      1         30.0          ███▉\n' +
        '2025-10-26  1             1      1         150.0         ███████████████████▏\n' +
        '2025-10-31  1             1      1         10.0          █▎\n',
    )
    expect(stderr).toBe(notice)
  })

  test.each([60, 80, 200])(
    'usage on a terminal prints bars that fit a width of %i columns',
    async (columns) => {
      for (const by of ['', '--by room']) {
        const { stdout } = await usage(by, { ...terminal, columns })
        const lines = stdout.split('\n').slice(0, -1)
        expect(lines.filter((line) => line.length > columns)).toEqual([])
        expect(lines.filter((line) => /[▏▎▍▌▋▊▉█]$/.test(line))).toHaveLength(by === '' ? 4 : 2)
      }
    },
  )
})
