import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { main } from '../../../src/main.ts'
import { testHost, testNow } from '../../helpers/host.ts'
import { serveWorkspace, testMachine } from '../../helpers/live.ts'
import { perTest } from '../../helpers/per-test.ts'
import { type RoomInUse, type UseDifferences, withRoomsInUse } from '../../helpers/rooms-in-use.ts'
import { answer, createWorld } from '../../helpers/world.ts'
import { sized } from '../../suites/size.ts'

// Tests run at 2026-01-02T03:04:05.678Z.

const world = perTest(createWorld)

const open = { id: 's1', disconnected_at: null }
const ended = (disconnected_at: string, id = 's2') => ({ id, disconnected_at })
const room = (id: string, created_at: string | null = '2025-01-01T00:00:00.000Z', type = 'open') => ({
  ...{ id, type, name: id.toUpperCase(), created_at },
})

const rooms: RoomInUse[] = [
  {
    room: room('busy'),
    sessions: [open, ended('2025-12-30T00:00:00.000Z'), ended('2025-12-01T00:00:00.000Z', 's3')],
    members: 3,
  },
  {
    room: room('used'),
    sessions: [
      ended('2026-01-01T00:00:00.000Z'),
      ended('2025-06-01T00:00:00.000Z', 's3'),
      ended('2025-05-01T00:00:00.000Z', 's4'),
    ],
    members: 1,
  },
  { room: room('old'), sessions: [ended('2025-07-01T00:00:00.000Z')], members: 40 },
  { room: room('never'), members: 0 },
]

async function listIds(...conditions: string[]): Promise<string> {
  const where = conditions.flatMap((condition) => ['--where', condition])
  const { code, stdout, stderr } = await world.run(['rooms', 'list', '-o', 'ids', ...where])
  expect({ code, stderr }, conditions.join(', ')).toEqual({ code: 0, stderr: '' })
  return stdout.trim().replaceAll('\n', ' ')
}

/** Rooms that a condition selects, and the number of requests besides room lists. */
const meanings: readonly [condition: string, ids: string, requests: number][] = [
  ['online=0', 'used old never', 4],
  ['online>0', 'busy', 4],
  ['online!=1', 'used old never', 4],
  ['online=1', 'busy', 4],
  ['sessions=0', 'never', 4],
  ['sessions>=2', 'busy used', 4],
  ['sessions=1', 'old', 4],
  ['members>1', 'busy old', 4],
  ['members=0', 'never', 4],
  ['members<=1', 'used never', 4],
  ['last_active<2025-12-01', 'old', 4],
  ['last_active=2026-01-01', 'used', 4],
  ['last_active>1h', 'busy', 4],
  ['last_active<30d', 'old', 4],
  ['last_active=', 'never', 4],
  ['last_active!=', 'busy used old', 4],
  ['idle>90d', 'old never', 4],
  ['idle>300d', 'never', 4],
  ['idle<2d', 'busy used', 4],
  ['idle<=0s', 'busy', 4],
  ['idle>0s', 'used old never', 4],
  ['idle>=1d', 'used old never', 4],
]

describe('a --where condition on room metrics', () => {
  test.each(meanings)(
    'rooms list --where %s selects “%s” with one request per room',
    async (condition, ids, requests) => {
      const asked = withRoomsInUse(world, rooms)
      expect(await listIds(condition)).toBe(ids)
      expect(asked()).toHaveLength(requests)
    },
  )

  test('rooms list --where members>0 or sessions>0 requests at most two items per room', async () => {
    const asked = withRoomsInUse(world, rooms.slice(0, 1))
    await listIds('members>0')
    await listIds('sessions>0')
    await listIds('online>0')
    await listIds('idle<1d')
    expect(asked()).toEqual([
      '/rooms/busy/members?limit=2',
      '/rooms/busy/sessions?limit=2',
      '/rooms/busy/sessions?is_connecting=true',
      '/rooms/busy/sessions',
    ])
  })

  test('rooms list --where evaluates room metrics only for rooms that match the conditions on fields', async () => {
    const asked = withRoomsInUse(world, rooms)
    expect(await listIds('online=0', 'name~^O', 'idle>90d')).toBe('old')
    expect(asked()).toEqual(['/rooms/old/sessions'])
  })

  test('rooms list --where idle>1d requests no sessions of a room that members>2 excludes', async () => {
    const asked = withRoomsInUse(world, rooms.slice(0, 2))
    expect(await listIds('idle>1d', 'members>2')).toBe('')
    expect(asked().sort()).toEqual([
      '/rooms/busy/members?limit=2',
      '/rooms/busy/sessions',
      '/rooms/used/members?limit=2',
    ])
  })

  test.each<[string, UseDifferences]>([
    ['that sends no totals', { withoutTotals: true }],
    ['whose totals count only the returned items', { countsPages: true }],
    ['that refuses a limit for sessions', { refusesLimit: true }],
    ['that ignores the filter of sessions', { ignoresFilter: true }],
    ['that ignores the filter of sessions and sends no totals', { ignoresFilter: true, withoutTotals: true }],
    ['that omits null fields', { leavesNullsOut: true }],
    ['that omits null fields and totals', { leavesNullsOut: true, withoutTotals: true }],
  ])('rooms list --where on room metrics selects the same rooms on a service %s', async (_, differences) => {
    withRoomsInUse(world, rooms, differences)
    for (const [condition, ids] of meanings) expect(await listIds(condition), condition).toBe(ids)
  })

  test('rooms list --where sessions>0 requests full session lists if responses contain no total', async () => {
    const asked = withRoomsInUse(world, rooms, { withoutTotals: true })
    await world.run('rooms list --where sessions>0 --concurrency 1')
    expect(asked()).toEqual([
      '/rooms/busy/sessions?limit=2',
      ...['/rooms/busy/sessions', '/rooms/used/sessions', '/rooms/old/sessions', '/rooms/never/sessions'],
    ])
  })

  test('rooms list --where omits rooms with an unknown idle or last_active, and prints their number', async () => {
    const unclear = {
      room: room('unclear'),
      sessions: [{ id: 's1' }, { id: 's2', disconnected_at: 'yesterday' }],
    }
    withRoomsInUse(world, [...rooms, unclear], { ignoresFilter: true })
    for (const condition of ['idle>0s', 'idle<=0s', 'last_active=', 'last_active!=']) {
      const { code, stdout, stderr } = await world.run(['rooms', 'list', '-o', 'ids', '--where', condition])
      const name = condition.startsWith('idle') ? 'idle' : 'last_active'
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: expect.not.stringContaining('unclear'),
        stderr: `1 room without ${name} does not match\n`,
      })
    }
    withRoomsInUse(world, [unclear], { ignoresFilter: true })
    expect(await world.run('rooms list --where idle>90d')).toMatchObject({
      code: 2,
      stderr:
        'error: --where: the service does not show “idle” for any checked room\n' +
        'hint: show all fields with: meetroom sessions list --all-rooms --json --base-url https://meet.test/v1\n',
    })
  })

  test('rooms list --where idle>90d exits 8 and omits a room with an incomplete list of sessions', async () => {
    withRoomsInUse(world, rooms.slice(1, 2), {
      instead: (path) =>
        path.endsWith('/sessions')
          ? answer(200, { sessions: [ended('2020-01-01T00:00:00.000Z')], paging: { total: 3 } })
          : undefined,
    })
    const { code, stdout, stderr } = await world.run('rooms list --where idle>90d --quiet')
    expect({ code, stdout, stderr }).toEqual({
      code: 8,
      stdout: '',
      stderr:
        'error: the service listed 1 of 3 sessions of room used: it repeats its response for offset 1\n' +
        'error: could not read 1 of 1 rooms: used\nhint: these rooms are omitted\n',
    })
  })

  test('rooms list --where ignores room fields that have the name of a metric', async () => {
    withRoomsInUse(world, [{ room: { ...room('r'), online: 7, members: [], idle: true }, sessions: [] }])
    expect(await listIds('online=0', 'idle>90d', 'members=0')).toBe('r')
  })

  test('rooms list --where online>0 --limit 3 stops after enough matching rooms', async () => {
    const many = Array.from({ length: 100 }, (_, i) => ({
      room: room(`r${i}`),
      sessions: i % 2 ? [open] : [],
    }))
    const asked = withRoomsInUse(world, many)
    const { stdout } = await world.run(
      'rooms list --where online>0 --limit 3 --offset 2 -o ids --concurrency 2',
    )
    expect(stdout).toBe('r5\nr7\nr9\n')
    expect(asked().length).toBeLessThan(15)
  })

  test('rooms list --where members>=20 keeps the list order if responses arrive out of order', async () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ room: room(`r${i}`), members: i }))
    withRoomsInUse(world, many)
    const slowly = world.intercept
    world.intercept = async (request, next, signal) => {
      for (let i = request.url.length % 7; i > 0; i--) await new Promise((resolve) => setImmediate(resolve))
      return slowly?.(request, next, signal) ?? next()
    }
    expect(await listIds('members>=20')).toBe(
      many
        .slice(20)
        .map(({ room }) => room.id)
        .join(' '),
    )
  })

  test('rooms list --where members>0 evaluates at most --concurrency rooms concurrently', async () => {
    const many = Array.from({ length: 31 }, (_, i) => ({ room: room(`r${i}`), members: i }))
    withRoomsInUse(world, many)
    const respond = world.intercept
    let most = 0
    let now = 0
    world.intercept = async (request, next, signal) => {
      most = Math.max(most, ++now)
      await new Promise((resolve) => setImmediate(resolve))
      now--
      return respond?.(request, next, signal) ?? next()
    }
    await world.run('rooms list --where members>0 --concurrency 3')
    expect(most).toBe(3)
    await world.run('rooms list --where members>0')
    expect(most).toBe(8)
  })

  test('rooms list --where idle>90d --json prints one document with the matching rooms', async () => {
    withRoomsInUse(world, rooms)
    const { stdout } = await world.run('rooms list --json --where idle>90d')
    expect(JSON.parse(stdout)).toEqual({
      rooms: [rooms[2]?.room, rooms[3]?.room],
      paging: { limit: 2, offset: 0, total: 2 },
    })
  })
})

describe('a condition on idle for a room without sessions', () => {
  test('rooms list --where idle>90d reads created_at from the full room if lists omit created_at', async () => {
    const [one, two] = [room('one'), room('two', '2026-01-01T00:00:00.000Z')]
    const short = ({ id, type, name }: ReturnType<typeof room>) => ({ id, type, name })
    withRoomsInUse(world, [{ room: one }, { room: two }], {
      instead: (path) =>
        path === '/rooms'
          ? answer(200, { rooms: [short(one), short(two)], paging: { total: 2 } })
          : undefined,
    })
    const { code, stdout } = await world.run('rooms list --where idle>90d -o ids')
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\n' })
  })

  test('rooms list and rooms delete --where idle exit 2 for a room without sessions and created_at', async () => {
    const { created_at: _, ...without } = room('r')
    withRoomsInUse(world, [...rooms, { room: without }])
    for (const [command, condition, suggested] of [
      ['rooms list -o ids', 'idle<1h', 'rooms list -o ids'],
      ['rooms delete --yes', 'idle>90d', 'rooms delete'],
    ] as const)
      expect(await world.run([...command.split(' '), '--where', condition])).toMatchObject({
        code: 2,
        stdout: '',
        stderr:
          'error: --where: the idle time of room r is unknown, because it has no sessions and no created_at\n' +
          `hint: exclude such rooms with: meetroom ${suggested} --where '${condition}' --where 'sessions>0' --base-url https://meet.test/v1\n`,
      })
    expect(world.requests.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await listIds('idle>90d', 'sessions>0')).toBe('old')
  })
})

describe('a room whose data cannot be read', () => {
  const failing = (status: number, id = 'old'): UseDifferences => ({
    instead: (path) =>
      path.startsWith(`/rooms/${id}/`) ? answer(status, { error: { message: 'no' } }) : undefined,
  })

  test('rooms list --where exits 8 and omits a room whose sessions cannot be read', async () => {
    withRoomsInUse(world, rooms, failing(500))
    const stderr =
      'error: the service reports a validation exception (500): no\n' +
      'hint: fix the request: in this API, 500 means that it is invalid\n' +
      'error: could not read 1 of 4 rooms: old\nhint: these rooms are omitted\n'
    expect(await world.run('rooms list --where online=0 -o ids')).toMatchObject({
      code: 8,
      stdout: 'used\nnever\n',
      stderr,
    })
    expect(await world.run('rooms list --where online=0 -o ids --sort name --quiet')).toMatchObject({
      code: 8,
      stdout: 'never\nused\n',
    })
    expect(await world.run('rooms list --where online=0 --count')).toMatchObject({ code: 8, stdout: '' })
    const { code, stdout } = await world.run('rooms list --where online=0 --json')
    expect({ code, ...JSON.parse(stdout) }).toEqual({
      code: 8,
      rooms: [rooms[1]?.room, rooms[3]?.room],
      paging: { limit: 2, offset: 0 },
    })
  })

  test.each(['rooms delete', 'rooms terminate', 'rooms reopen'])(
    '%s --where sends no write if the data of one room cannot be read',
    async (command) => {
      const asked = withRoomsInUse(world, rooms, failing(500))
      const run = await world.run(`${command} --where online=0 --yes`)
      expect(run).toMatchObject({ code: 8, stdout: '' })
      expect(run.stderr).toMatch(
        /could not read 1 of 4 rooms: old\nhint: nothing was changed; retry the command\n$/,
      )
      expect(asked().filter((path) => !path.startsWith('/'))).toEqual([])
    },
  )

  test('rooms delete --where --fail-fast stops at the first room that cannot be read', async () => {
    const many = Array.from({ length: 40 }, (_, i) => ({ room: room(`r${i}`) }))
    const asked = withRoomsInUse(world, many, failing(500, 'r2'))
    const run = await world.run('rooms delete --where online=0 --yes --max 50 --fail-fast --concurrency 1')
    expect(run).toMatchObject({ code: 8, stdout: '' })
    expect(run.stderr).toContain(
      'could not read 38 of 40 rooms: r2, r3, r4, r5, r6, r7, r8, r9, r10, r11 and 28 more\n',
    )
    expect(asked()).toHaveLength(3)
  })

  test('rooms list --where skips a room that is deleted during the run', async () => {
    withRoomsInUse(world, rooms, {
      instead: (path) => (path.startsWith('/rooms/old') ? answer(404, {}) : undefined),
    })
    expect(await listIds('online=0')).toBe('used never')
  })

  test('rooms list --where skips a room that is deleted before its full record is read', async () => {
    const { created_at: _, ...short } = room('gone')
    withRoomsInUse(world, [...rooms, { room: short }], {
      instead: (path) => (path === '/rooms/gone' ? answer(404, {}) : undefined),
    })
    expect(await listIds('idle>90d')).toBe('old never')
  })

  test('rooms delete --where exits 8 and names the unread rooms if all requests for sessions get a 404', async () => {
    withRoomsInUse(world, rooms, {
      instead: (path) => (path.endsWith('/sessions') ? answer(404, {}) : undefined),
    })
    expect(await world.run('rooms delete --where online=0 --yes')).toMatchObject({
      code: 8,
      stdout: '',
      stderr: expect.stringContaining('could not read 4 of 4 rooms: busy, used, old, never'),
    })
  })

  test('rooms list --where exits 4 if the service refuses the key during the evaluation of rooms', async () => {
    withRoomsInUse(world, rooms, failing(401))
    expect(await world.run('rooms list --where online=0 -o ids')).toMatchObject({ code: 4 })
  })

  test('rooms list --where retries a request for a room after 429 responses', async () => {
    let refused = 0
    withRoomsInUse(world, rooms, {
      instead: (path) => (path.endsWith('/old/sessions') && refused++ < 5 ? answer(429, {}) : undefined),
    })
    expect(await listIds('idle>90d')).toBe('old never')
    expect(refused).toBe(6)
  })

  test('rooms list --where exits 130 at ^C during the evaluation of rooms', async () => {
    withRoomsInUse(world, rooms)
    const respond = world.intercept
    world.intercept = async (request, next, signal) => {
      if (!request.url.includes('/rooms/')) return respond?.(request, next, signal) ?? next()
      host.signal('SIGINT')
      signal.throwIfAborted()
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    }
    const { host, done } = world.start(['rooms', 'list', '--where', 'online=0'])
    expect(await done).toMatchObject({ code: 130, stdout: '', stderr: 'error: interrupted\n' })
  })
})

describe('an invalid --where condition on room metrics', () => {
  test.each([
    ['online=many', '--where online=many: the value must be a number, not “many”'],
    ['members>1h', '--where members>1h: the value must be a number, not “1h”'],
    ['sessions<', '--where sessions<: the value is missing'],
    ['idle=90d', '--where idle=90d: idle needs one of < <= > >= and a duration, such as idle>90d'],
    ['idle>2025-01-01', '--where idle>2025-01-01: idle must be a duration such as 90d, not “2025-01-01”'],
  ])('rooms list --where %j exits 2 before any request', async (condition, message) => {
    const { code, stdout, stderr } = await world.run(['rooms', 'list', '--where', condition])
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` })
    expect(world.requests).toEqual([])
  })
})

test('rooms terminate --dry-run --where prints the compared values of each matching room', async () => {
  withRoomsInUse(world, rooms)
  const line = ['rooms', 'terminate', '--dry-run']
  const where = [
    '--where',
    'idle>90d',
    '--where',
    'online=0',
    '--where',
    'members>1',
    '--where',
    'created_at<2026-01-01',
  ]
  expect((await world.run([...line, ...where])).stderr).toBe(
    'selected by idle_since < 2025-10-04T03:04:05.678Z (UTC)\n' +
      'selected by created_at < 2026-01-01T00:00:00Z (UTC)\n' +
      '1 room matches\n' +
      '  old  OLD  created_at 2025-01-01T00:00:00.000Z, idle_since 2025-07-01T00:00:00.000Z, online 0, members 40\n',
  )
})

test('rooms terminate --where on a terminal shows a progress bar of the evaluated rooms', async () => {
  withRoomsInUse(world, rooms)
  const slowly = ['--rate', '1', '--concurrency', '1', '--dry-run']
  const { code, stderr } = await world.run(['rooms', 'terminate', '--where', 'online=0', ...slowly], {
    tty: true,
    columns: 120,
    env: { NO_COLOR: '1' },
  })
  expect(code).toBe(0)
  expect(stderr).toContain('\r████████████░░░░░░░░░░░░ 2/4  2/s  0 failed  1 s left\u001b[K')
  expect(stderr).toContain('\r\u001b[K3 rooms match\n')
})

test('rooms export --where sessions>1 exports the matching rooms', async () => {
  withRoomsInUse(world, rooms)
  const { code, stdout } = await world.run('rooms export --columns id --where sessions>1')
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'id\r\nbusy\r\nused\r\n' })
})

test('rooms list --where with random conditions on metrics matches a reference implementation', async () => {
  const session = fc.option(fc.integer({ min: 0, max: 50 }))
  const holds: Record<string, (value: number, wanted: number) => boolean> = {
    '=': (value, wanted) => value === wanted,
    '>': (value, wanted) => value > wanted,
    '<': (value, wanted) => value < wanted,
  }
  const daysAgo = (days: number) => new Date(Date.UTC(2026, 0, 2) - days * 86_400_000).toISOString()
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ sessions: fc.array(session, { maxLength: 4 }), members: fc.integer({ min: 0, max: 3 }) }),
        {
          maxLength: 8,
        },
      ),
      fc.array(
        fc.record({
          field: fc.constantFrom('online', 'sessions', 'members', 'idle'),
          sign: fc.constantFrom('=', '>', '<'),
          value: fc.integer({ min: 0, max: 4 }),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      fc.record({
        withoutTotals: fc.boolean(),
        leavesNullsOut: fc.boolean(),
        countsPages: fc.boolean(),
        refusesLimit: fc.boolean(),
      }),
      async (drawn, conditions, differences) => {
        const made = drawn.map(({ sessions, members }, i) => ({
          room: room(`r${i}`, daysAgo(60)),
          members,
          sessions: sessions.map((days, n) => ({
            id: `s${n}`,
            disconnected_at: days === null ? null : daysAgo(days),
          })),
        }))
        withRoomsInUse(world, made, differences)
        const idleDays = ({ sessions }: (typeof drawn)[number]) =>
          sessions.includes(null) ? 0 : Math.min(60, ...sessions.map((days) => days ?? 0)) + 3 / 24
        const wanted = made.filter((_, i) =>
          conditions.every(({ field, sign, value }) => {
            const one = drawn[i] as (typeof drawn)[number]
            if (field === 'idle') return holds[sign === '=' ? '>' : sign]?.(idleDays(one), value * 10 + 1)
            const count =
              field === 'members'
                ? one.members
                : one.sessions.filter((days) => field === 'sessions' || days === null).length
            return holds[sign]?.(count, value)
          }),
        )
        const where = conditions.map(({ field, sign, value }) =>
          field === 'idle' ? `idle${sign === '=' ? '>' : sign}${value * 10 + 1}d` : `${field}${sign}${value}`,
        )
        expect(await listIds(...where)).toBe(wanted.map(({ room }) => room.id).join(' '))
      },
    ),
    { numRuns: sized(10, 100) },
  )
})

test('rooms list --where on room metrics selects rooms of the embedded service over HTTP', async () => {
  const served = await serveWorkspace({ machine: testMachine(testNow - 100 * 86_400_000) })
  const [never, old, busy] = [await served.room(), await served.room(), await served.room()]
  await served.user('ada')
  await served.member(busy, 'ada')
  await (await served.join(old)).leave()
  served.machine.setWallClock(100 * 86_400_000)
  await served.join(busy)
  const run = async (line: string) => {
    const env = { MEETROOM_BASE_URL: served.baseUrl, MEETROOM_API_KEY: served.apiKey }
    const host = testHost({ env })
    const code = await main(line.split(' '), host)
    return {
      code,
      ids: host.stdout.text
        .trim()
        .split('\n')
        .map((id) => [never, old, busy].indexOf(id)),
    }
  }
  expect(await run('rooms list -o ids --where online=1')).toEqual({ code: 0, ids: [2] })
  expect(await run('rooms list -o ids --where sessions=0')).toEqual({ code: 0, ids: [0] })
  expect(await run('rooms list -o ids --where members>=1')).toEqual({ code: 0, ids: [2] })
  expect(await run('rooms list -o ids --where last_active<90d')).toEqual({ code: 0, ids: [1] })
  expect(await run('rooms terminate -o ids --yes --where idle>90d --where online=0')).toEqual({
    code: 0,
    ids: [1, 0],
  })
  expect((await served.getRoom(busy)).terminated_at).toBeNull()
})

describe('rooms list on a service with uppercase room types', () => {
  const inCapitals = () => {
    world.intercept = async (_request, next) => {
      const given = await next()
      const text = new TextDecoder().decode(given.body)
      return {
        ...given,
        body: new TextEncoder().encode(
          text.replace(/"type":"\w+"/g, (field) => `"type":${field.slice(7).toUpperCase()}`),
        ),
      }
    }
  }

  test.each([
    ['type=private', ['P']],
    ['type!=private', ['O']],
    ['type~^PRIV', ['P']],
  ])(
    'rooms list --where %s prints the matching rooms on a service with uppercase room types',
    async (condition, names) => {
      for (const [name, type] of [
        ['P', 'private'],
        ['O', 'open'],
      ])
        await world.send('POST', '/rooms', { name, type })
      inCapitals()
      const run = await world.run([
        'rooms',
        'list',
        '--where',
        condition,
        '-o',
        'csv',
        '--columns',
        'name',
        '--no-header',
      ])
      expect(run).toMatchObject({ code: 0, stdout: names.map((name) => `${name}\r\n`).join('') })
    },
  )
})
