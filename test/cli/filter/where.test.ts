import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import type { WireRequest } from '../../../src/api/wire.ts'
import { lostNotice } from '../../helpers/imports.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

const world = perTest(createWorld)

const lines = (text: string) => text.split('\n').slice(0, -1)
const writes = () => world.requests.filter(({ method }) => method !== 'GET')
const offsets = () => world.requests.map(({ url }) => Number(new URL(url).searchParams.get('offset') ?? 0))

// Tests run at 2026-01-02T03:04:05.678Z.

const things = {
  rooms: [
    {
      ...{ id: 'r1', type: 'open', name: 'Test', layout: 'grid', record: true, meeting_time: 0 },
      ...{ created_at: '2025-10-03T00:00:00.000Z', terminated_at: null, max_meeting_seconds: 3600 },
      ...{ is_terminated: '#DEPRECATED#', created_user_id: '#DEPRECATED#' },
    },
    {
      ...{ id: 'r2', type: 'private', name: 'contest', layout: 'grid', record: false, meeting_time: 90.5 },
      ...{ created_at: '2026-01-01T00:00:00.000Z', terminated_at: '2026-01-01T12:00:00.000Z' },
      ...{ max_meeting_seconds: null, is_terminated: '#DEPRECATED#' },
    },
    {
      ...{ id: 'r3', type: 'public', name: null, layout: null, record: null, meeting_time: null },
      ...{ created_at: '2026-01-01T23:59:59.999Z', terminated_at: '2026-01-02T03:04:05.678Z' },
      max_meeting_seconds: null,
    },
    {
      ...{ id: 'r4', type: 'private', name: 'Émile = x', layout: 'row', record: true, meeting_time: 600 },
      ...{ created_at: '2026-01-02T00:00:00.000Z', terminated_at: null, max_meeting_seconds: 60 },
    },
    {
      ...{ id: 'r5', type: 'open', name: '', layout: 'row', record: false, meeting_time: -1 },
      ...{ created_at: '2026-01-02T03:04:05.000Z', terminated_at: null, max_meeting_seconds: null },
    },
  ],
  users: [
    {
      ...{ user_id: 'ada', name: 'Ada', default_member_type: 'host', email: 'ada@example.com' },
      ...{ profile_url: 'https://img.test/a.png', created_at: '2025-12-01T00:00:00.000Z' },
    },
    {
      ...{ user_id: 'grace', name: null, default_member_type: 'guest', email: 'grace@navy.test' },
      ...{ profile_url: null, created_at: '2026-01-02T00:00:00.000Z' },
    },
    {
      ...{ user_id: 'alan', name: 'Alan', default_member_type: 'guest', email: null },
      ...{ profile_url: null, created_at: '2026-01-02T01:00:00.000Z' },
    },
  ],
  members: [
    {
      id: 'm1',
      user_id: 'ada',
      type: 'host',
      is_blocked: false,
      name: 'A.',
      created_at: '2025-01-01T00:00Z',
    },
    { id: 'm2', user_id: null, type: 'guest', is_blocked: true, name: null, created_at: '2026-01-01T00:00Z' },
    {
      id: 'm3',
      user_id: 'alan',
      type: 'guest',
      is_blocked: null,
      name: 'Al',
      created_at: '2026-01-02T00:00Z',
    },
  ],
  sessions: [
    { id: 's1', user_id: 'ada', connected_at: '2026-01-02T03:00:00.000Z', disconnected_at: null },
    {
      ...{ id: 's2', user_id: null, connected_at: '2026-01-01T03:00:00.000Z' },
      ...{ disconnected_at: '2026-01-01T04:00:00.000Z' },
    },
  ],
}

function serveItems(held: Record<string, readonly object[]> = things): void {
  world.intercept = async ({ url }) => {
    const { pathname, searchParams } = new URL(url)
    const [id = '', parent = ''] = pathname.split('/').reverse()
    const listed = held[id]
    if (!listed) {
      const item = held[parent]?.find((item) => Object.values(item)[0] === id)
      return item ? answer(200, { [parent.slice(0, -1)]: item }) : answer(404, {})
    }
    const offset = Number(searchParams.get('offset') ?? 0)
    const limit = Number(searchParams.get('limit') ?? 30)
    return answer(200, {
      [id]: listed.slice(offset, offset + limit),
      ...(id === 'sessions' ? {} : { paging: { limit, offset, total: listed.length } }),
    })
  }
}

async function listIds(command: string, ...conditions: string[]): Promise<string> {
  const where = conditions.flatMap((condition) => ['--where', condition])
  const { code, stdout, stderr } = await world.run([...command.split(' '), '-o', 'ids', ...where])
  const nearMiss = expect.stringMatching(
    /^(--where [^\n]* (closest to this is|compares the whole|is an ordinary character|of an item:)[^\n]*\n)*$/,
  )
  expect({ code, stderr }, conditions.join(', ')).toEqual({ code: 0, stderr: nearMiss })
  return lines(stdout).join(' ')
}

describe('a --where condition', () => {
  beforeEach(() => serveItems())

  test.each([
    // Text is ordered by code unit, and is case-sensitive.
    ['type=private', 'r2 r4'],
    ['type!=private', 'r1 r3 r5'],
    ['name=Test', 'r1'],
    ['name=test', ''],
    ['name!=Test', 'r2 r3 r4 r5'],
    ['name<U', 'r1 r5'],
    ['name<=Test', 'r1 r5'],
    ['name<Test', 'r5'],
    ['name>Test', 'r2 r4'],
    ['name>=Test', 'r1 r2 r4'],
    ['id>=r4', 'r4 r5'],
    ['id=R4', ''],
    // Patterns match anywhere, regardless of case.
    ['name~test', 'r1 r2'],
    ['name~^test', 'r1'],
    ['name!~test', 'r3 r4 r5'],
    ['name~éMILE', 'r4'],
    ['type~^(open|public)$', 'r1 r3 r5'],
    ['meeting_time~^6', 'r4'],
    ['record~tru', 'r1 r4'],
    ['created_at~^2026-01-02T', 'r4 r5'],
    // Numbers.
    ['meeting_time=0', 'r1'],
    ['meeting_time=0.0', 'r1'],
    ['meeting_time=90.5', 'r2'],
    ['meeting_time!=0', 'r2 r3 r4 r5'],
    ['meeting_time<0', 'r5'],
    ['meeting_time<=0', 'r1 r5'],
    ['meeting_time>9', 'r2 r4'],
    ['meeting_time>=90.5', 'r2 r4'],
    ['meeting_time=-1', 'r5'],
    // True and false; null is neither.
    ['record=true', 'r1 r4'],
    ['record=false', 'r2 r5'],
    ['record!=true', 'r2 r3 r5'],
    ['record!=false', 'r1 r3 r4'],
    // A date is a whole day in the time zone of the tests, UTC.
    ['created_at=2026-01-01', 'r2 r3'],
    ['created_at!=2026-01-01', 'r1 r4 r5'],
    ['created_at<2026-01-01', 'r1'],
    ['created_at<=2026-01-01', 'r1 r2 r3'],
    ['created_at>2026-01-01', 'r4 r5'],
    ['created_at>=2026-01-01', 'r2 r3 r4 r5'],
    // A time without an offset is in the time zone of the tests.
    ['created_at=2026-01-01T23:59:59.999Z', 'r3'],
    ['created_at=2026-01-02T03:04:05', 'r5'],
    ['created_at>=2026-01-02T00:00Z', 'r4 r5'],
    ['created_at>2026-01-02T00:00', 'r5'],
    ['created_at>=2026-01-02 00:00', 'r4 r5'],
    ['created_at<2026-01-02T01:00+01:00', 'r1 r2 r3'],
    ['created_at<=2026-01-02 01:00:00.000+01:00', 'r1 r2 r3 r4'],
    // Elapsed time.
    ['created_at<90d', 'r1'],
    ['created_at>90d', 'r2 r3 r4 r5'],
    ['created_at<1w', 'r1'],
    ['created_at>4h', 'r3 r4 r5'],
    ['created_at>3h', 'r5'],
    ['created_at>=185m', 'r3 r4 r5'],
    ['created_at>184m', 'r5'],
    ['created_at>1s', 'r5'],
    ['created_at>0s', ''],
    ['terminated_at=0s', 'r3'],
    ['terminated_at<12h', 'r2'],
    ['terminated_at>12h', 'r3'],
    ['terminated_at!=2026-01-01', 'r1 r3 r4 r5'],
    // Age since the creation.
    ['age>90d', 'r1'],
    ['age>89d24h', 'r1'],
    ['age<90d', 'r2 r3 r4 r5'],
    ['age >= 185m', 'r1 r2'],
    ['age<=185m', 'r3 r4 r5'],
    ['age>0s', 'r1 r2 r3 r4 r5'],
    // Empty values.
    ['terminated_at=', 'r1 r4 r5'],
    ['terminated_at!=', 'r2 r3'],
    ['name=', 'r3 r5'],
    ['name!=', 'r1 r2 r4'],
    ['meeting_time=', 'r3'],
    ['record!=', 'r1 r2 r4 r5'],
    ['max_meeting_seconds=', 'r2 r3 r5'],
    // A derived field.
    ['status=active', 'r1 r4 r5'],
    ['status!=active', 'r2 r3'],
    ['status~^TERM', 'r2 r3'],
    // A field that the API specification does not list in responses.
    ['max_meeting_seconds=60', 'r4'],
    ['max_meeting_seconds>7', 'r1 r4'],
    ['max_meeting_seconds<100', 'r4'],
    ['max_meeting_seconds!=60', 'r1 r2 r3 r5'],
    // White space and equals signs.
    ['name = Émile = x', 'r4'],
    ['  type  !=  private  ', 'r1 r3 r5'],
    ['name~ = ', 'r4'],
  ])('rooms list --where %j selects the matching rooms', async (condition, ids) => {
    expect(await listIds('rooms list', condition)).toBe(ids)
  })

  test.each([
    ['users list', 'user_id=ada', 'ada'],
    ['users list', 'email~@EXAMPLE', 'ada'],
    ['users list', 'email=grace@navy.test', 'grace'],
    ['users list', 'email=', 'alan'],
    ['users list', 'email!=ada@example.com', 'grace alan'],
    ['users list', 'profile_url!=', 'ada'],
    ['users list', 'default_member_type=guest', 'grace alan'],
    ['users list', 'created_at>1d', 'grace alan'],
    ['members list r', 'is_blocked=true', 'm2'],
    ['members list r', 'is_blocked=false', 'm1'],
    ['members list r', 'is_blocked=', 'm3'],
    ['members list r', 'status=blocked', 'm2'],
    ['members list r', 'status=', 'm1 m3'],
    ['members list r', 'name~^A', 'm1 m3'],
    ['members list r', 'user_id=', 'm2'],
    ['members list r', 'created_at>30d', 'm2 m3'],
    ['members list r', 'age>30d', 'm1'],
    ['users list', 'age<3h', 'alan'],
    ['members list r', 'type!=host', 'm2 m3'],
    ['sessions list r', 'status=online', 's1'],
    ['sessions list r', 'status=offline', 's2'],
    ['sessions list r', 'disconnected_at=', 's1'],
    ['sessions list r', 'connected_at<2026-01-02', 's2'],
    ['sessions list r', 'user_id!=ada', 's2'],
  ])('%s --where %j selects the matching items', async (command, condition, ids) => {
    expect(await listIds(command, condition)).toBe(ids)
  })

  test('rooms list with several --where conditions selects only rooms that match all conditions', async () => {
    expect(await listIds('rooms list', 'type=private', 'status=active')).toBe('r4')
    expect(await listIds('rooms list', 'type=private', 'type=open')).toBe('')
    expect(await listIds('rooms list', 'created_at>2025-12-31', 'created_at<2026-01-02', 'name!=')).toBe('r2')
  })

  test('rooms list --where compares integers above 2⁵³ by value', async () => {
    world.intercept = async () =>
      answer(
        200,
        '{"rooms":[{"id":"r1","type":"open","max_meeting_seconds":12345678901234567890}],"paging":{"total":1}}',
      )
    expect(await listIds('rooms list', 'max_meeting_seconds>9')).toBe('r1')
    expect(await listIds('rooms list', 'max_meeting_seconds<9')).toBe('')
  })
})

describe('a --where condition with a regular expression', () => {
  test('rooms list --where evaluates regular expressions without catastrophic backtracking', async () => {
    const hostile = 'a'.repeat(50_000)
    const rooms = [`${hostile}!`, hostile].map((name, i) => ({ id: `r${i}`, type: 'open', name }))
    serveItems({ rooms })
    expect(await listIds('rooms list', 'name~^(a+)+$')).toBe('r1')
    expect(await listIds('rooms list', 'name!~^(a|aa)+$')).toBe('r0')
    expect(await listIds('rooms list', 'name~(.*)*(.*)*(.*)*x$')).toBe('')
  })

  test('rooms list --where with a regular expression exits 130 at ^C with empty stdout', async () => {
    let count = 0
    world.intercept = async (_request, _next, signal) => {
      if (++count === 20) host.signal('SIGINT')
      signal.throwIfAborted()
      return answer(200, { rooms: [{ id: `r${count}`, type: 'open', name: `${'a'.repeat(1000)}!` }] })
    }
    const { host, done } = world.start(['rooms', 'list', '--where', 'name~^(a+)+$'])
    expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
  })
})

test('rooms list --where ignores spaces around the operator', async () => {
  for (const name of ['test 1', 'live test', 'live'])
    await world.send('POST', '/rooms', { name, type: 'open' })
  const named = async (condition: string) =>
    (
      await world.run([
        'rooms',
        'list',
        '-o',
        'csv',
        '--columns',
        'name',
        '--no-header',
        '--where',
        condition,
      ])
    ).stdout
      .split('\r\n')
      .slice(0, -1)
  expect(await named('name !~ test')).toEqual(['live'])
  expect(await named('name~ test')).toEqual(['live test'])
})

describe('an invalid --where condition', () => {
  const takes = (text: string) =>
    `--where must be a field, one of = != < <= > >= ~ !~, and a value, not “${text}”\nhint: ${
      /^\w+$/.test(text)
        ? "quote the condition, because the shell reads < and > as redirections: --where 'age>90d'"
        : "as in: --where 'age>90d' or --where 'name~^Ma'"
    }`
  const time =
    'the value must be a date such as 2026-01-31, a time such as 2026-01-31T12:00Z, or an age such as 90d'

  test.each([
    ['rooms list', 'name', takes('name')],
    ['rooms list', '', takes('')],
    ['rooms list', '=x', takes('=x')],
    ['rooms list', 'name x', takes('name x')],
    ['rooms list', 'meeting_time=1h', '--where meeting_time=1h: the value must be a number, not “1h”'],
    ['rooms list', 'meeting_time>1e3', '--where meeting_time>1e3: the value must be a number, not “1e3”'],
    ['rooms list', 'record=maybe', '--where record=maybe: the value must be true or false, not “maybe”'],
    ['rooms list', 'record!=T', '--where record!=T: the value must be true or false, not “T”'],
    ['rooms list', 'record>true', '--where record>true: true and false can be compared only with = and !='],
    ['rooms list', 'created_at<soon', `--where created_at<soon: ${time}, not “soon”`],
    ['rooms list', 'created_at<90', `--where created_at<90: ${time}, not “90”`],
    ['rooms list', 'created_at<90y', `--where created_at<90y: ${time}, not “90y”`],
    ['rooms list', 'created_at<-1d', `--where created_at<-1d: ${time}, not “-1d”`],
    ...['2026-13-01', '2026-02-30', '2026-01-01T25:00Z'].map((text) => [
      'rooms list',
      `created_at=${text}`,
      `--where created_at=${text}: ${time}, not “${text}”, which does not exist`,
    ]),
    ['rooms list', 'name~)', '--where name~): the value is not a valid regular expression'],
    ['rooms list', 'created_at!~*', '--where created_at!~*: the value is not a valid regular expression'],
    [
      'rooms list',
      'name~a{2000}',
      '--where name~a{2000}: the regular expression cannot be used: its repetitions are too large',
    ],
    ['rooms list', 'age=90d', '--where age=90d: age needs one of < <= > >= and a duration, such as age>90d'],
    ['rooms list', 'age>2025', '--where age>2025: age must be a duration such as 90d, not “2025”'],
    ['users list', 'age!~d', '--where age!~d: age needs one of < <= > >= and a duration, such as age>90d'],
    ['rooms list', 'name<', '--where name<: the value is missing'],
    ['rooms list', 'name ~ ', '--where name ~ : the value is missing'],
    ['rooms list', 'name~ ', '--where name~ : the value is missing'],
    ['rooms list', 'created_at>=', '--where created_at>=: the value is missing'],
    [
      'rooms list',
      'max_meeting_seconds!=1h',
      '--where max_meeting_seconds!=1h: the value must be a number, not “1h”',
    ],
    [
      'members list r',
      'is_blocked!=maybe',
      '--where is_blocked!=maybe: the value must be true or false, not “maybe”',
    ],
    [
      'members list r',
      'is_blocked>false',
      '--where is_blocked>false: true and false can be compared only with = and !=',
    ],
    ['members list r', 'created_at=never', `--where created_at=never: ${time}, not “never”`],
    ['sessions list r', 'connected_at=online', `--where connected_at=online: ${time}, not “online”`],
    ['users export', 'created_at=never', `--where created_at=never: ${time}, not “never”`],
    ['rooms delete', 'created_at=never', `--where created_at=never: ${time}, not “never”`],
  ])('%s --where %j exits 2 before any request', async (command, condition, message) => {
    const { code, stdout, stderr } = await world.run([...command.split(' '), '--where', condition])
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(world.requests).toEqual([])
  })

  test.each([
    [
      'rooms delete',
      'type!=privat',
      'type must be open, public or private, not “privat”',
      "did you mean: meetroom rooms delete --where 'type!=private'",
    ],
    [
      'rooms list',
      'status == Active',
      'status must be active or terminated, not “Active”',
      'did you mean: meetroom rooms list --where status=active',
    ],
    [
      'users delete',
      'default_member_type!=gest',
      'default_member_type must be guest, host or monitor, not “gest”',
      "did you mean: meetroom users delete --where 'default_member_type!=guest'",
    ],
    [
      'members list r',
      'status=block',
      'status must be blocked, not “block”',
      'did you mean: meetroom members list r --where status=blocked',
    ],
    [
      'sessions list r',
      'status!=on',
      'status must be online or offline, not “on”',
      "did you mean: meetroom sessions list r --where 'status!=online'",
    ],
    [
      'rooms list',
      'status=paused',
      'status must be active or terminated, not “paused”',
      "if the service uses other values: meetroom rooms list --where 'status~paused'",
    ],
  ])('%s --where %j exits 2 and suggests another condition', async (command, condition, what, hint) => {
    expect(await world.run([...command.split(' '), '--where', condition])).toMatchObject({
      code: 2,
      stderr: `error: --where ${condition}: ${what}\nhint: ${hint} --base-url https://meet.test/v1\n`,
    })
    expect(world.requests).toEqual([])
  })

  test.each([
    ['active=true', 'status=active'],
    ['active!=true', "'status!=active'"],
    ['terminated=no', "'status!=terminated'"],
    ['terminated!=false', 'status=terminated'],
  ])('rooms delete --where %s suggests the condition %s', async (condition, meant) => {
    const [value] = condition.split(/!?=/)
    expect((await world.run(['rooms', 'delete', '--where', condition])).stderr).toBe(
      `error: --where: “${value}” is a value of the field “status”\n` +
        `hint: did you mean: meetroom rooms delete --where ${meant} --base-url https://meet.test/v1\n`,
    )
  })

  test.each([
    'name~(?=a)',
    'name!~a(?!b)',
    'name~(?<=a)b',
    'name~(?<!a)b',
    'name~(a)\\1',
    'name~(?<n>a)\\k<n>',
  ])(
    'rooms delete --where %s exits 2 because lookaround and backreferences are not supported',
    async (condition) => {
      expect(await world.run(['rooms', 'delete', '--where', condition])).toMatchObject({
        code: 2,
        stderr:
          `error: --where ${condition}: lookaround and backreferences are not supported\n` +
          'hint: to exclude a pattern, add a condition with !~\n',
      })
      expect(world.requests).toEqual([])
    },
  )

  const fields = {
    room:
      'id, type, name, application_id, thumbnail_url, layout, record, meeting_time, started_at, terminated_at, ' +
      'updated_at, created_at, status, max_meeting_seconds, remaining_seconds, age, online, sessions, members, last_active, idle',
    user: 'user_id, name, profile_url, default_member_type, access_token, created_at, updated_at, id, email, age',
    member: 'id, user_id, room_id, type, status, name, is_blocked, access_token, created_at, updated_at, age',
    session:
      'id, member_id, user_id, connected_at, disconnected_at, status, end_reason, elapsed_time, ip_address, user_agent',
  }

  test.each([
    ['rooms list', 'room', 'Name=x', 'Name'],
    ['rooms list', 'room', 'name.first=x', 'name.first'],
    ['rooms list', 'room', 'is_terminated=true', 'is_terminated'],
    ['rooms list', 'room', 'room_template_id~x', 'room_template_id'],
    ['rooms list', 'room', 'toString~x', 'toString'],
    ['rooms list', 'room', '__proto__=', '__proto__'],
    ['users list', 'user', 'type=host', 'type'],
    ['members list r', 'member', 'email~x', 'email'],
    ['sessions list r', 'session', 'present=true', 'present'],
    ['users list', 'user', 'idle>1d', 'idle'],
    ['members list r', 'member', 'sessions>1', 'sessions'],
    ['sessions list r', 'session', 'age>1d', 'age'],
    ['users export', 'user', 'status=x', 'status'],
    ['members export --all-rooms', 'member', 'email~x', 'email'],
    ['rooms terminate --yes', 'room', 'nope=1', 'nope'],
    ['users delete --yes', 'user', 'nope=1', 'nope'],
    ['members block r --yes', 'member', 'nope=1', 'nope'],
  ] as const)(
    '%s exits 2 because no %s has the field in --where %j',
    async (command, noun, condition, field) => {
      const { code, stdout, stderr } = await world.run([...command.split(' '), '--where', condition])
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr:
          `error: --where: no ${noun} has a field “${field}”\nhint: ` +
          (field === 'Name'
            ? 'did you mean: meetroom rooms list --where name=x --base-url https://meet.test/v1\n'
            : `fields are ${fields[noun]}\n`),
      })
      expect(world.requests).toEqual([])
    },
  )
})

describe('rooms list --where', () => {
  let all: { id: string; name: string }[]
  beforeEach(async () => {
    all = []
    for (let i = 0; i < 100; i++)
      all.unshift((await world.send('POST', '/rooms', { name: `R${i}`, type: 'open' })).body.room)
  })
  const idsOf = (pattern: RegExp) => all.filter(({ name }) => pattern.test(name)).map(({ id }) => id)

  test('rooms list --where searches all pages', async () => {
    expect(await listIds('rooms list --page-size 10', 'name~0$')).toBe(idsOf(/0$/).join(' '))
    expect(offsets()).toEqual([0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    world.requests.length = 0
    expect(await listIds('rooms list', 'name=R0')).toBe(idsOf(/^R0$/).join(' '))
    expect(offsets()).toEqual([0, 100])
    expect(await listIds('rooms list --all', 'name~^R9')).toBe(idsOf(/^R9/).join(' '))
  })

  test('rooms list --where --limit 2 stops after two matches', async () => {
    expect(await listIds('rooms list --page-size 10 --limit 2', 'name~0$')).toBe(
      idsOf(/0$/).slice(0, 2).join(' '),
    )
    // The second match is on the second page; two more pages were already requested.
    expect(offsets()).toEqual([0, 10, 20, 30])
    expect(await listIds('rooms list --limit 500', 'name~5$')).toBe(idsOf(/5$/).join(' '))
  })

  test('rooms list --where prints each match exactly once across pages with --limit and --offset', async () => {
    const parts: string[] = []
    for (const offset of [0, 4, 8, 12])
      parts.push(await listIds(`rooms list --page-size 10 --limit 4 --offset ${offset}`, 'name~0$'))
    expect(parts.filter((part) => part !== '').join(' ')).toBe(idsOf(/0$/).join(' '))
  })

  test('rooms list --where --all --limit 2 exits 2 before any request', async () => {
    expect(await world.run('rooms list --all --limit 2 --where name~x')).toMatchObject({
      code: 2,
      stderr: 'error: --all and --limit cannot be used together\n',
    })
    expect(world.requests).toEqual([])
  })

  test('rooms list --where sends --active and --name to the service as query parameters', async () => {
    await listIds('rooms list --active --name R7', 'type=open')
    expect(world.requests.map(({ url }) => new URL(url).search)).toEqual([
      '?name=R7&is_terminated=false&limit=1000',
    ])
  })

  test('rooms list --where --json prints one document with the matching items and their number', async () => {
    const { code, stdout, stderr } = await world.run('rooms list --page-size 10 --json --where name~0$')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({
      rooms: all.filter(({ name }) => name.endsWith('0')),
      paging: { limit: 10, offset: 0, total: 10 },
    })
  })

  test('rooms list --where --json omits the total if the list stops at --limit', async () => {
    const { stdout } = await world.run('rooms list --page-size 10 --limit 2 --json --where name~0$')
    const { rooms, paging } = JSON.parse(stdout)
    expect(rooms).toEqual(all.filter(({ name }) => name.endsWith('0')).slice(0, 2))
    expect(paging).toEqual({ limit: 2, offset: 0 })
  })

  test('rooms list --where --json prints an empty list if no item matches', async () => {
    const { code, stdout, stderr } = await world.run('rooms list --json --where name=nobody')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ rooms: [], paging: { limit: 0, offset: 0, total: 0 } })
  })

  test('rooms list --where prints only the matching rooms as NDJSON, CSV and a table', async () => {
    const wanted = all.filter(({ name }) => /^R4\d$/.test(name))
    const list = async (flags: string) =>
      (await world.run(`rooms list --page-size 7 --where name~^R4\\d$ ${flags}`)).stdout
    expect(lines(await list('-o ndjson')).map((line) => JSON.parse(line))).toEqual(wanted)
    expect(await list('-o csv --columns name,status')).toBe(
      `name,status\r\n${wanted.map(({ name }) => `${name},active\r\n`).join('')}`,
    )
    expect(await list('--columns name --no-header')).toBe(wanted.map(({ name }) => `${name}\n`).join(''))
  })

  test('rooms list --where exits 0 if no item matches', async () => {
    expect(await world.run('rooms list --where name=nobody')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no rooms\n',
    })
    expect(await world.run('rooms list -o csv --columns id --where name=nobody')).toMatchObject({
      code: 0,
      stdout: 'id\r\n',
      stderr: '',
    })
  })

  test('rooms list --where --curl prints the first request', async () => {
    world.requests.length = 0
    expect(await world.run('rooms list --where name~x --curl')).toMatchObject({
      code: 0,
      stdout: `curl -X GET 'https://meet.test/v1/rooms?limit=1000' -H "Authorization: Bearer $MEETROOM_API_KEY"\n`,
      stderr: '',
    })
    expect(world.requests).toEqual([])
  })

  test('rooms list --where exits 4 if the key is refused, and 6 if a page fails', async () => {
    world.intercept = async () => answer(401, {})
    expect(await world.run('rooms list --where name~0$')).toMatchObject({ code: 4, stdout: '' })
    world.intercept = async (request, next) => (request.url.includes('offset=20') ? answer(503, {}) : next())
    const { code, stdout } = await world.run('rooms list --where name~0$ --page-size 10 --retries 0 -o ids')
    expect({ code, ids: lines(stdout) }).toEqual({ code: 6, ids: idsOf(/0$/).slice(0, 2) })
  })
})

describe('sessions list --where on a service without paging', () => {
  const sessions = Array.from({ length: 9 }, (_, i) => ({ id: `s${i}`, user_id: i % 2 ? 'ada' : 'alan' }))
  beforeEach(() => serveItems({ sessions }))

  test.each([
    ['', 's1 s3 s5 s7'],
    [' --limit 2', 's1 s3'],
    [' --all', 's1 s3 s5 s7'],
    [' --limit 2 --offset 2', 's5 s7'],
    [' --offset 9', ''],
  ])(
    'sessions list r%s --where user_id=ada prints the matching sessions on a service without paging',
    async (flags, ids) => {
      expect(await listIds(`sessions list r${flags}`, 'user_id=ada')).toBe(ids)
    },
  )

  test('sessions list --where --json prints the matching sessions on a service without paging', async () => {
    const { stdout } = await world.run('sessions list r --json --where user_id=alan --limit 1')
    expect(stdout).toBe('{"sessions":[{"id":"s0","user_id":"alan"}]}\n')
  })
})

// Compares the program with an independent reference implementation.
describe('random --where conditions on a random list', () => {
  const operators = ['=', '!=', '<', '<=', '>', '>='] as const
  const holds = <T extends string | number>(operator: string, value: T | null, wanted: T) => {
    if (value === null) return operator === '!='
    if (operator === '=') return value === wanted
    if (operator === '!=') return value !== wanted
    if (operator === '<') return value < wanted
    if (operator === '<=') return value <= wanted
    return operator === '>' ? value > wanted : value >= wanted
  }
  const decimal = fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer(),
    fc.integer({ min: -300, max: 300 }).map((cents) => cents / 100),
  )
  // The program trims white space around a value.
  const text = fc
    .oneof(fc.constantFrom('a', 'b', 'B', 'ab', '=x', '10', '9'), fc.string({ unit: 'binary' }))
    .filter((value) => value !== '' && value === value.trim())
  const room = fc.record({
    name: fc.option(text),
    layout: fc.option(text),
    meeting_time: fc.option(decimal),
    max_meeting_seconds: fc.option(fc.integer({ min: 1, max: 99 })),
  })
  const condition = fc.oneof(
    fc.record({
      field: fc.constantFrom('name' as const, 'layout' as const),
      operator: fc.constantFrom(...operators),
      value: text,
    }),
    fc.record({
      field: fc.constantFrom('meeting_time' as const, 'max_meeting_seconds' as const),
      operator: fc.constantFrom(...operators),
      value: decimal,
    }),
  )

  test('rooms list --where with random conditions matches a reference implementation', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(room, { maxLength: 12 }),
        fc.array(condition, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 5 }),
        async (items, conditions, size) => {
          const rooms = items.map((item, i) => ({ id: `r${i}`, type: 'open', ...item }))
          serveItems({ rooms })
          const wanted = rooms.filter((item) =>
            conditions.every(({ field, operator, value }) =>
              holds<string | number>(operator, item[field], value),
            ),
          )
          expect(
            await listIds(
              `rooms list --page-size ${size}`,
              ...conditions.map(({ field, operator, value }) => `${field} ${operator} ${value}`),
            ),
          ).toBe(wanted.map(({ id }) => id).join(' '))
        },
      ),
      { numRuns: sized(15, 150) },
    )
  })
})

describe('bulk commands with --where', () => {
  const room = async (name: string, type = 'private'): Promise<string> =>
    (await world.send('POST', '/rooms', { name, type })).body.room.id
  async function member(room_id: string, user_id: string): Promise<string> {
    await world.send('POST', '/users', { user_id, name: user_id.toUpperCase() })
    return (await world.send('POST', `/rooms/${room_id}/members`, { user_id })).body.member.id
  }
  const url = 'https://meet.test/v1'

  test.each([
    ['delete', 'name~^old', (id: string) => `DELETE ${url}/rooms/${id}\n`],
    ['terminate', 'name~^old', (id: string) => `PUT ${url}/rooms/${id} {"is_terminated":true}\n`],
    ['reopen', 'name~^old', (id: string) => `PUT ${url}/rooms/${id} {"is_terminated":false}\n`],
  ])('rooms %s --where %s --dry-run lists the affected rooms', async (verb, condition, line) => {
    const ids = [await room('Old one'), await room('new'), await room('old \u001b[2J')]
    expect(await world.run(['rooms', verb, '--where', condition, '--dry-run'])).toMatchObject({
      code: 0,
      stdout: [ids[2], ids[0]].map((id) => line(id ?? '')).join(''),
      stderr: `2 rooms match\n  ${ids[2]}  old \\u001b[2J\n  ${ids[0]}  Old one\n`,
    })
    expect(writes()).toEqual([])
  })

  test('users delete --where --dry-run lists the affected users', async () => {
    for (const [user_id, name] of [['ada', 'Ada'], ['grace']])
      await world.send('POST', '/users', { user_id, name })
    expect(await world.run('users delete --where name= --dry-run --json')).toMatchObject({
      code: 0,
      stdout: `{"method":"DELETE","url":"${url}/users/grace"}\n`,
      stderr: '1 user matches\n  grace\n',
    })
    expect(writes()).toEqual([])
  })

  test.each([
    ['block', 'is_blocked=false', '  is_blocked false', true],
    ['unblock', 'type=guest', '  type guest', false],
  ])(
    'members %s --where %s --dry-run lists the affected members',
    async (verb, condition, why, is_blocked) => {
      const id = await room('R')
      const members = [await member(id, 'ada'), await member(id, 'grace')].reverse()
      expect(await world.run(['members', verb, id, '--where', condition, '--dry-run'])).toMatchObject({
        code: 0,
        stdout: members
          .map((m) => `PUT ${url}/rooms/${id}/members/${m} {"is_blocked":${is_blocked}}\n`)
          .join(''),
        stderr: `2 members match\n  ${members[0]}  grace${why}\n  ${members[1]}  ada${why}\n`,
      })
      expect(writes()).toEqual([])
    },
  )

  test('rooms delete --where deletes exactly the matching rooms', async () => {
    for (let i = 0; i < 150; i++) await room(i % 10 ? `keep ${i}` : `drop ${i}`)
    const { code, stdout, stderr } = await world.run('rooms delete --where name~^drop --yes -o ids')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'deleted 15 rooms\n' })
    expect(lines(stdout)).toHaveLength(15)
    const { rooms } = (await world.send('GET', '/rooms?limit=1000')).body
    expect(rooms).toHaveLength(135)
    expect(rooms.filter(({ name }: { name: string }) => name.startsWith('drop'))).toEqual([])
  })

  test('rooms terminate and rooms reopen with --where change the matching rooms', async () => {
    const ids = [await room('a'), await room('b')].reverse()
    expect(await world.run('rooms terminate --where status=active --yes -o ids')).toMatchObject({
      code: 0,
      stdout: `${ids.join('\n')}\n`,
    })
    expect(await world.run('rooms terminate --where status=active --yes')).toMatchObject({
      code: 0,
      stdout: '',
    })
    expect(await world.run('rooms reopen --where terminated_at!= -o ids')).toMatchObject({
      code: 0,
      stdout: `${ids.join('\n')}\n`,
      stderr: 'reopened 2 rooms\n',
    })
  })

  test('users delete and members block with --where change only the matching items', async () => {
    const id = await room('R')
    const ada = await member(id, 'ada')
    const grace = await member(id, 'grace')
    expect(await world.run(`members block ${id} --where user_id=ada --yes -o ids`)).toMatchObject({
      code: 0,
      stdout: `${ada}\n`,
      stderr: 'blocked 1 member\n',
    })
    expect(await listIds(`members list ${id}`, 'status=blocked')).toBe(ada)
    expect(await world.run(`members unblock ${id} --where is_blocked=true -o ids`)).toMatchObject({
      code: 0,
      stdout: `${ada}\n`,
      stderr: 'unblocked 1 member\n',
    })
    expect(await world.run('users delete --where user_id!=grace --yes -o ids')).toMatchObject({
      code: 0,
      stdout: 'ada\n',
      stderr: 'deleted 1 user\n',
    })
    expect(await listIds(`members list ${id}`, 'type=guest')).toBe(grace)
  })

  test.each([
    ['rooms delete r1'],
    ['rooms terminate r1'],
    ['rooms reopen r1 r2'],
    ['rooms delete -'],
    ['users delete ada'],
    ['members block r m'],
    ['members unblock r m'],
  ])('the command “%s” with --where exits 2 because it contains IDs', async (command) => {
    expect(await world.run(`${command} --where type=x --yes`, { stdin: 'r1\n' })).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: IDs and --where cannot be used together\n',
    })
    expect(world.requests).toEqual([])
  })

  test('a bulk command with --where exits 0 without a prompt if no item matches', async () => {
    const id = await room('R')
    for (const verb of ['delete', 'terminate', 'reopen'])
      expect(await world.run(`rooms ${verb} --where name=x`), verb).toMatchObject({
        code: 0,
        stdout: '',
        stderr: 'no rooms; nothing to do\n',
      })
    expect(await world.run('users delete --where name=x', { tty: true })).toMatchObject({ code: 0 })
    expect(await world.run(`members block ${id} --where name=x`)).toMatchObject({ code: 0, stdout: '' })
    expect(await world.run('rooms delete --where name=x --dry-run')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'no rooms match\nno rooms; nothing to do\n',
    })
    expect(writes()).toEqual([])
  })

  test('rooms delete --where --curl exits 2 before any request', async () => {
    expect(await world.run('rooms delete --where name~x --curl')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'error: --curl cannot be used: this command reads the items that --where selects\n',
    })
    expect(world.requests).toEqual([])
  })

  test('rooms delete --where sends no write if a page of the list fails', async () => {
    for (let i = 0; i < 150; i++) await room(`drop ${i}`)
    const inHundreds = (request: WireRequest) => ({ ...request, url: request.url.replace('=1000', '=100') })
    world.intercept = async (request, next) =>
      request.url.includes('offset=100') ? answer(503, {}) : next(inHundreds(request))
    expect(await world.run('rooms delete --where name~^drop --yes --max 200 --retries 0')).toMatchObject({
      code: 6,
      stdout: '',
    })
    expect(writes()).toEqual([])
  })

  test('rooms delete --where --local deletes the matching room after confirmation on a terminal', async () => {
    const make = (name: string) => world.run(`--local rooms create --name ${name} --type open -o ids`)
    await make('drop')
    await make('keep')
    const { host, done } = world.start(['--local', 'rooms', 'delete', '--where', 'name=drop'], { tty: true })
    setImmediate(() => host.type('y\n'))
    expect(await done).toMatchObject({ code: 0 })
    expect((await world.run('--local rooms list --columns name --no-header')).stdout).toBe('keep\n')
  })
})

test('rooms export, users export and members export with --where print only the matching items', async () => {
  serveItems()
  const { code, stdout, stderr } = await world.run(
    'rooms export --columns id,max_meeting_seconds --where type=private --where status=active',
  )
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: 'id,max_meeting_seconds\r\nr4,60\r\n',
    stderr: `exported 1 room\n${lostNotice('rooms')}`,
  })
  expect((await world.run('users export --columns user_id --where email!=')).stdout).toBe(
    'user_id\r\nada\r\ngrace\r\n',
  )
  expect((await world.run('members export r --columns id --where is_blocked=false')).stdout).toBe(
    'id\r\nm1\r\n',
  )
})
