import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { perTest } from '../../helpers/per-test.ts'
import { member, school, session } from '../../helpers/school.ts'
import { createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

const sessionDays = 366
// A session can touch one day more than its length in days.
const mostDays = sessionDays + 1

const long = (user_id: string, connected_at: unknown, disconnected_at: unknown) =>
  session(user_id, '08:00', null, { connected_at, disconnected_at })
const fromFirstToLastYear = (user_id: string) =>
  long(user_id, '1970-01-02T00:00:00.000Z', '9999-12-31T23:59:59.999Z')

const reports = [
  ...['user', 'room', 'session', 'user-total', 'meeting', 'day', 'week', 'month'].map((by) => `--by ${by}`),
  ...['user,day', 'room,week', 'month,user-total', 'meeting,day'].map((by) => `--by ${by}`),
  ...['--by user-total --missed 1', '--by user-total,day --absent', '--by meeting,month --absent'],
]

test('sessions report counts the first 366 days of a longer session and prints a warning', async () => {
  school(world, { maths: { sessions: [fromFirstToLastYear('ada')], members: [member('ada')] } })
  const { code, stdout, stderr } = await world.run('sessions report maths --time-zone UTC --by day -o csv')
  const rows = stdout.split('\r\n').slice(1, -1)
  expect([code, rows.length, rows.at(-1)?.slice(0, 10)]).toEqual([0, sessionDays, '1971-01-02'])
  const warning = 'warning: sessions longer than 366 days count for the first 366 days: 1 in room maths\n'
  expect(stderr).toBe(warning)
  const later = await world.run('sessions report maths --from 2026-01-01 -o ids')
  expect(later).toMatchObject({ code: 0, stdout: '', stderr: warning })
})

test('sessions report counts the first 366 days of an online session from 2019', async () => {
  school(world, { maths: { sessions: [long('ada', '2019-03-01T08:00:00Z', null)] } })
  const { stdout } = await world.run('sessions report maths -o ndjson')
  expect(JSON.parse(stdout)).toMatchObject({ last_out: null, minutes: sessionDays * 1440 })
})

const wildTime = fc.oneof(
  fc
    .date({ min: new Date('0000-01-01T00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.integer({ min: -1e14, max: 1e14 }),
  fc.constantFrom(null, '', 'soon', 0, '9999-12-31T23:59:59-23:59', '0001-01-01T00:00:00Z', 1e300),
)
const wildSession = fc
  .record({
    ...{ id: fc.uuid(), user_id: fc.constantFrom('ada', 'grace', null) },
    begin: fc.oneof(wildTime, fc.constant('1970-01-02T00:00:00.000Z')),
    end: fc.oneof(wildTime, fc.constant('9999-12-31T23:59:59.999Z')),
  })
  .map(({ user_id, begin, end, id }) => ({ ...long(String(user_id), begin, end), user_id, id }))
const wildReport = fc.record({
  sessions: fc.array(wildSession, { minLength: 1, maxLength: 4 }),
  flags: fc.constantFrom(...reports),
  zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'Asia/Kathmandu'),
})

test('sessions report limits rows and HTML bars for sessions with random times', async () => {
  const members = ['ada', 'grace', 'alan'].map((user_id) => member(user_id))
  const property = fc.asyncProperty(wildReport, async ({ sessions, flags, zone }) => {
    school(world, { maths: { sessions, members } })
    const { code, stdout, stderr } = await world.run(
      `sessions report maths ${flags} --time-zone ${zone} -o ndjson --html page.html`,
    )
    expect(code).toBe(stderr.includes('none of its sessions has a readable connected_at') ? 8 : 0)
    const people = members.length + 1
    const days = sessions.length * mostDays
    const rows = stdout.split('\n').length - 1
    expect(rows).toBeLessThanOrEqual(flags.includes('--absent') ? people * days : people + days)
    const bars = readFileSync(join(world.dir, 'page.html'), 'utf8').match(/class="bar"/g) ?? []
    // At most the months of a century, and the hours of a day.
    expect(bars.length).toBeLessThanOrEqual(1224)
  })
  await fc.assert(property, { numRuns: sized(10, 40) })
})

test.each([
  'sessions report maths --by day --html page.html -o csv',
  'sessions report maths --by session -o ids',
  'usage -o csv',
])('the command “%s” exits 130 after ^C during its computation', async (line) => {
  const [begin, end] = ['2026-01-01T08:00:00Z', '2026-01-01T09:00:00Z']
  const sessions = Array.from({ length: 3000 }, (_, i) => long(`user ${i}`, begin, end))
  school(world, { maths: { sessions } })
  const { intercept = async (_, next) => next() } = world
  const { host, done } = world.start(line.split(' '))
  world.intercept = async (request, next, signal) => {
    if (request.url.includes('/sessions')) setImmediate(() => host.signal('SIGINT'))
    return intercept(request, next, signal)
  }
  const { code, stdout } = await done
  expect(code).toBe(130)
  expect(stdout.split('\n').length).toBeLessThan(3000)
  if (line.includes('--html'))
    expect(readFileSync(join(world.dir, 'page.html'), 'utf8')).toContain('Incomplete')
})
