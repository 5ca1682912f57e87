import { beforeEach, describe, expect, test } from 'vitest'
import type { WireRequest } from '../../../../src/api/wire.ts'
import { usersCsv } from '../../../helpers/imports.ts'
import { otherService } from '../../../helpers/other-service.ts'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const lines = (text: string) => text.split('\n').slice(0, -1)
const queryOf = ({ url }: WireRequest) => Object.fromEntries(new URL(url).searchParams)
const asked = () =>
  world.requests.map((request) => {
    const { limit = '-', offset = '-' } = queryOf(request)
    return `${limit}@${offset}`
  })

const ids = (count: number, from = 1) => Array.from({ length: count }, (_, i) => `r${i + from}`)
const roomOf = (id: string) => ({ id, type: 'open', name: `Room ${id}` })

interface Quirks {
  /** Maximum number of items in one response; 1,000 by default. */
  cap?: number
  ignoresOffset?: boolean
  paging?: (facts: { limit: number; offset: number; total: number }) => unknown
  /** Called before each response. */
  before?: (rooms: string[], request: number) => void
}

function serveUnusualPaging(
  rooms: string[],
  { cap = 1000, ignoresOffset, paging = (facts) => facts, before }: Quirks = {},
) {
  let count = 0
  world.intercept = async (request) => {
    if (count > 500) throw new Error('the program asks for ever')
    before?.(rooms, ++count)
    const query = queryOf(request)
    const limit = Math.min(Number(query['limit'] ?? 30), cap)
    const offset = ignoresOffset ? 0 : Number(query['offset'] ?? 0)
    const page = rooms.slice(offset, offset + limit).map(roomOf)
    return answer(200, { rooms: page, paging: paging({ limit, offset, total: rooms.length }) })
  }
}

async function listIds(flags: string) {
  const { code, stdout, stderr } = await world.run(`rooms list -o ids ${flags}`.trim())
  return { code, ids: lines(stdout), stderr }
}

describe('rooms list of 250 rooms in the embedded service', () => {
  let all: string[]
  beforeEach(async () => {
    all = []
    for (let i = 0; i < 250; i++)
      all.unshift((await world.send('POST', '/rooms', { name: `Room ${i}`, type: 'open' })).body.room.id)
  })

  test('rooms list without flags prints one page and the total number of rooms', async () => {
    expect(await listIds('')).toEqual({
      code: 0,
      ids: all.slice(0, 30),
      stderr: 'showing 30 of 250; use --all, or --limit and --offset\n',
    })
    expect(asked()).toEqual(['-@-'])
    expect((await listIds('--quiet')).stderr).toBe('')
  })

  test.each([
    ['--limit 5', [0, 5], ['5@-']],
    ['--limit 30 --offset 240', [240, 250], ['30@240', '20@250']],
    ['--limit 5 --offset 245', [245, 250], ['5@245']],
    ['--limit 250', [0, 250], ['250@-']],
    ['--limit 300', [0, 250], ['300@-', '50@250']],
    ['--limit 5000', [0, 250], ['1000@-', '1000@250']],
    ['--limit 120 --page-size 50', [0, 120], ['50@-', '50@50', '20@100']],
    ['--all', [0, 250], ['1000@-', '1000@250']],
    ['--all --page-size 100', [0, 250], ['100@-', '100@100', '100@200', '100@250']],
    ['--all --page-size 125', [0, 250], ['125@-', '125@125', '125@250']],
    ['--all --page-size 60 --offset 100', [100, 250], ['60@100', '60@160', '60@220', '60@250']],
    ['--all --offset 250', [250, 250], ['1000@250']],
    ['--all --offset 9999', [250, 250], ['1000@9999']],
    ['--offset 0', [0, 30], ['-@0']],
  ] as const)(
    'rooms list %s requests only the necessary pages and prints the selected rooms',
    async (flags, [from, to], requests) => {
      expect(await listIds(`${flags} --quiet`)).toEqual({ code: 0, ids: all.slice(from, to), stderr: '' })
      expect(asked()).toEqual(requests)
    },
  )

  test('rooms list with only --page-size requests one page of that size', async () => {
    expect(await listIds('--page-size 7')).toEqual({
      code: 0,
      ids: all.slice(0, 7),
      stderr: 'showing 7 of 250; use --all, or --limit and --offset\n',
    })
    expect(asked()).toEqual(['7@-'])
  })

  test('rooms list sends filters with every page', async () => {
    await world.run('rooms list --all --active --name Nobody -o ids')
    expect(world.requests.map(queryOf)).toEqual([{ limit: '1000', name: 'Nobody', is_terminated: 'false' }])
    world.requests.length = 0
    await world.run('rooms list --all --page-size 100 --active -o ids')
    expect(world.requests.map(queryOf)).toEqual([
      { limit: '100', is_terminated: 'false' },
      { limit: '100', offset: '100', is_terminated: 'false' },
      { limit: '100', offset: '200', is_terminated: 'false' },
      { limit: '100', offset: '250', is_terminated: 'false' },
    ])
  })

  test('rooms list --all --json prints one document that contains every item', async () => {
    const { stdout } = await world.run('rooms list --all --page-size 100 --json')
    const { rooms, paging, ...rest } = JSON.parse(stdout)
    expect(rooms.map(({ id }: { id: string }) => id)).toEqual(all)
    expect(rooms[0]).toEqual((await world.send('GET', `/rooms/${all[0]}`)).body.room)
    expect(paging).toEqual({ limit: 250, offset: 0, total: 250 })
    expect(rest).toEqual({})
  })

  test('rooms list --all prints every room as a table, CSV and NDJSON', async () => {
    expect(lines((await world.run('rooms list --all')).stdout)).toHaveLength(252)
    expect(lines((await world.run('rooms list --all --no-header')).stdout)).toHaveLength(250)
    expect((await world.run('rooms list --all -o csv')).stdout.split('\r\n')).toHaveLength(252)
    expect(
      lines((await world.run('rooms list --all -o ndjson')).stdout).map((line) => JSON.parse(line).id),
    ).toEqual(all)
  })

  test('rooms list --all prints every page within the width of the terminal', async () => {
    const { stdout } = await world.run('rooms list --all --no-color', { tty: true, columns: 40 })
    expect(lines(stdout)).toHaveLength(252)
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(40)
  })

  // A program that collects pages would wait forever.
  test.each([
    { format: 'ndjson', heading: 0 },
    { format: 'ids', heading: 0 },
    { format: 'csv', heading: 1 },
    { format: 'table', heading: 1 },
  ])('rooms list in $format prints each page as it arrives', async ({ format, heading }) => {
    let pages = 0
    world.intercept = async (_request, next) => {
      // Before the last page is printed, one request checks for a further page.
      const printed = Math.min(pages++ * 100, 200)
      while (printed > 0 && lines(run.host.stdout.text).length < heading + printed)
        await new Promise((resolve) => setImmediate(resolve))
      return next()
    }
    const run = world.start(['rooms', 'list', '--all', '--page-size', '100', '-o', format])
    expect((await run.done).code).toBe(0)
    expect(pages).toBe(4)
  })

  test('rooms list requests two pages ahead of the printed page', async () => {
    const asked: number[] = []
    world.intercept = (_request, next) => {
      asked.push(lines(run.host.stdout.text).length)
      return next()
    }
    const run = world.start(['rooms', 'list', '--all', '--page-size', '100', '-o', 'ndjson'])
    await run.done
    expect(asked).toEqual([0, 0, 0, 200])
  })

  test('rooms list prints the pages before a failed page, and exits with the code of the failure', async () => {
    world.intercept = async (request, next) =>
      queryOf(request)['offset'] === '200' ? answer(503, {}) : next()
    const { code, stdout, stderr } = await world.run('rooms list --all --page-size 100 -o ids --retries 0')
    expect({ code, ids: lines(stdout), stderr }).toEqual({
      code: 6,
      ids: all.slice(0, 200),
      stderr: 'error: the service failed (503)\n',
    })
  })

  test('rooms list requests no more pages after the reader closes the pipe', async () => {
    const { host, done } = world.start(['rooms', 'list', '--all', '--page-size', '10'])
    host.stdout.failure = Object.assign(new Error('EPIPE'), { code: 'EPIPE' })
    expect((await done).code).toBe(0)
    expect(world.requests).toHaveLength(3)
  })
})

describe('a list of a service with unusual paging', () => {
  test('rooms list --all prints every room if the service limits a page to 7 rooms', async () => {
    serveUnusualPaging(ids(50), { cap: 7 })
    expect(await listIds('--all')).toEqual({ code: 0, ids: ids(50), stderr: '' })
    expect(asked()).toEqual(['1000@-', ...[7, 14, 21, 28, 35, 42, 49, 50].map((offset) => `1000@${offset}`)])
  })

  test('rooms list --limit prints the requested number of rooms if the service limits the page size', async () => {
    serveUnusualPaging(ids(50), { cap: 7 })
    expect(await listIds('--limit 20')).toEqual({ code: 0, ids: ids(20), stderr: '' })
    expect(asked()).toEqual(['20@-', '13@7', '6@14'])
  })

  test('rooms list --limit prints the requested number of rooms if the service sends more items', async () => {
    world.intercept = async () => answer(200, { rooms: ids(12).map(roomOf) })
    expect((await listIds('--limit 5')).ids).toEqual(ids(5))
    const { stdout } = await world.run('rooms list --limit 5 --json')
    expect(JSON.parse(stdout).rooms).toEqual(ids(5).map(roomOf))
  })

  test('rooms list --all exits 8 if the service ignores the offset', async () => {
    serveUnusualPaging(ids(250), { ignoresOffset: true })
    expect(await listIds('--all --page-size 100')).toEqual({
      code: 8,
      ids: ids(100),
      stderr: 'error: the service listed 100 of 250 rooms: it repeats its response for offset 100\n',
    })
    expect(world.requests).toHaveLength(3)
  })

  test('rooms list --limit --json prints one valid JSON document if the service ignores the offset', async () => {
    serveUnusualPaging(ids(250), { ignoresOffset: true, cap: 30 })
    const { stdout, stderr } = await world.run('rooms list --limit 100 --json')
    expect(JSON.parse(stdout).rooms).toEqual(ids(30).map(roomOf))
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'incomplete',
      message: 'the service listed 30 of 250 rooms: it repeats its response for offset 30',
    })
  })

  test.each<[string, (facts: { total: number; offset: number; limit: number }) => unknown]>([
    ['is missing', ({ limit, offset }) => ({ limit, offset })],
    ['is null', () => ({ total: null })],
    ['is missing together with the paging field', () => undefined],
    ['is too low', () => ({ total: 3 })],
    ['is zero', () => ({ total: 0 })],
  ])('rooms list --all prints all rooms if the total of the service %s', async (_what, paging) => {
    serveUnusualPaging(ids(250), { paging })
    expect(await listIds('--all')).toEqual({ code: 0, ids: ids(250), stderr: '' })
  })

  test('rooms list prints no notice about more rooms if the service sends no total', async () => {
    serveUnusualPaging(ids(250), { paging: () => undefined })
    expect(await listIds('')).toEqual({ code: 0, ids: ids(30), stderr: '' })
  })

  test('rooms list --json of several pages prints no total if the service sends no total', async () => {
    serveUnusualPaging(ids(250), { paging: ({ limit, offset }) => ({ limit, offset }) })
    const { stdout } = await world.run('rooms list --limit 20 --page-size 10 --json')
    expect(JSON.parse(stdout).paging).toEqual({ limit: 20, offset: 0 })
  })

  test('rooms list --all prints each ID once if items are inserted between two page requests', async () => {
    serveUnusualPaging(ids(250), { before: (rooms, request) => request === 2 && rooms.unshift('new') })
    expect(await listIds('--all')).toEqual({ code: 0, ids: [...ids(250), 'new'], stderr: '' })
  })

  test('rooms list --limit prints the requested number of rooms if items are inserted between two page requests', async () => {
    serveUnusualPaging(ids(250), { before: (rooms, request) => request === 2 && rooms.unshift('new') })
    expect((await listIds('--limit 150 --page-size 100')).ids).toEqual(ids(150))
  })

  test('rooms list --all --json prints items that were inserted between two page requests after the other items', async () => {
    serveUnusualPaging(ids(15), {
      cap: 10,
      before: (rooms, request) => request === 2 && rooms.unshift('new'),
    })
    const { stdout } = await world.run('rooms list --all --json')
    expect(JSON.parse(stdout)).toEqual({
      rooms: [...ids(15), 'new'].map(roomOf),
      paging: { limit: 16, offset: 0, total: 16 },
    })
  })

  test('rooms list --all prints an ID once if one page contains the ID twice', async () => {
    serveUnusualPaging(['a', 'b', 'a', 'c'])
    expect((await listIds('--all')).ids).toEqual(['a', 'b', 'c'])
  })

  test('rooms list --json prints a single complete page byte for byte', async () => {
    const body = '{\t"rooms" : [],\r\n"unlisted": 1.0}\n\n'
    world.intercept = async () => answer(200, body)
    for (const flags of ['', ' --all', ' --limit 5'])
      expect((await world.run(`rooms list --json${flags}`)).stdout).toBe(body)
  })

  test('rooms list --json of several pages prints the other fields of the last page', async () => {
    let page = 0
    world.intercept = async () =>
      answer(200, { cursor: `c${++page}`, rooms: page < 3 ? [roomOf(`r${page}`)] : [] })
    expect((await world.run('rooms list --all --json')).stdout).toBe(
      '{"rooms":[{"id":"r1","type":"open","name":"Room r1"},{"id":"r2","type":"open","name":"Room r2"}],"cursor":"c3"}\n',
    )
  })

  test('users list identifies users by user_id, and members list identifies members by id', async () => {
    world.intercept = async (request) =>
      answer(200, {
        users: queryOf(request)['offset']
          ? []
          : [
              { user_id: 'ada', id: '1' },
              { user_id: 'grace', id: '1' },
            ],
        members: queryOf(request)['offset']
          ? []
          : [
              { id: 'm1', user_id: 'ada' },
              { id: 'm2', user_id: 'ada' },
            ],
      })
    expect((await world.run('users list --all -o ids')).stdout).toBe('ada\ngrace\n')
    expect((await world.run('members list r1 --all -o ids')).stdout).toBe('m1\nm2\n')
  })

  test.each(['', '--no-header '])(
    'the command “rooms list --all %s--columns id,layout,type” shows a column that has values only on a later page',
    async (flag) => {
      const rooms = [
        { id: 'r1', type: 'open', layout: null },
        { id: 'r2', type: 'open', layout: 'a long layout' },
      ]
      world.intercept = async (request) =>
        answer(200, { rooms: rooms.slice(Number(queryOf(request)['offset'] ?? 0)).slice(0, 1) })
      const { stdout } = await world.run(`rooms list --all ${flag}--columns id,layout,type`)
      expect(lines(stdout).at(-1)).toBe('r2  a long layout  open')
    },
  )
})

describe('a list of a service that refuses large pages', () => {
  beforeEach(async () => {
    for (let i = 0; i < 120; i++) await world.send('POST', '/rooms', { name: `Room ${i}`, type: 'open' })
  })

  const tens = ['10@-', ...Array.from({ length: 12 }, (_, i) => `10@${10 * i + 10}`)]

  test.each([
    [250, 400, '--all', 120, ['1000@-', '1@-', '100@-', '100@100']],
    [250, 422, '--all', 120, ['1000@-', '100@-', '100@100']],
    [50, 422, '--all', 120, ['1000@-', '100@-', '30@-', '30@30', '30@60', '30@90', '30@120']],
    [20, 413, '--all', 120, ['1000@-', '100@-', '30@-', ...tens]],
    [20, 500, '--all', 120, ['1000@-', '100@-', '30@-', ...tens]],
    [50, 422, '--limit 60', 60, ['60@-', '30@-', '30@30']],
    [100, 422, '--limit 110 --offset 5', 110, ['110@5', '100@5', '10@105']],
    [100, 422, '--where name~^Room', 120, ['1000@-', '100@-', '100@100']],
    [250, 422, '--limit 250', 120, ['250@-']],
  ] as const)(
    'on a service that refuses pages above %i items with status %i, rooms list %s prints the selected number of rooms',
    async (above, status, flags, count, requests) => {
      otherService(world, { refusedLimits: { above, status } })
      const { ids, ...rest } = await listIds(flags)
      expect({ count: new Set(ids).size, ...rest }).toEqual({ count, code: 0, stderr: '' })
      expect(asked()).toEqual(requests)
    },
  )

  test('members export uses the accepted page size for all later lists after the service refuses a large page', async () => {
    const { body } = await world.send('GET', '/rooms?limit=2')
    otherService(world, { refusedLimits: { above: 250, status: 422 } })
    const [one, other] = body.rooms.map(({ id }: { id: string }) => id)
    await world.run(['members', 'export', '--all-rooms', '--where', 'name=Nobody'])
    expect(asked().slice(0, 3)).toEqual(['1000@-', '100@-', '100@100'])
    expect(
      asked()
        .slice(3)
        .every((query) => query === '100@-'),
    ).toBe(true)
    expect([one, other].every((id) => world.requests.some(({ url }) => url.includes(id)))).toBe(true)
  })

  test('rooms list --all exits 4 with an error about the key if the service refuses the key', async () => {
    world.intercept = async () => answer(400, {})
    expect(await listIds('--all')).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('the service refuses the API key (400)'),
    })
    expect(asked()).toEqual(['1000@-', '1@-'])
  })

  test('rooms list --all omits the limit parameter if the service refuses each page size', async () => {
    otherService(world, { refusedLimits: { above: 0, status: 422 } })
    const { ids, ...rest } = await listIds('--all')
    expect({ count: new Set(ids).size, ...rest }).toEqual({ count: 120, code: 0, stderr: '' })
    expect(asked()).toEqual([
      ...['1000@-', '100@-', '30@-', '10@-', '1@-'],
      ...['-@-', '-@30', '-@60', '-@90', '-@120'],
    ])
  })

  test('rooms list --all exits 1 with the first error message if the service refuses all requests', async () => {
    world.intercept = async ({ url }) => answer(422, { message: `refused ${new URL(url).search}` })
    expect(await listIds('--all')).toEqual({
      code: 1,
      ids: [],
      stderr: 'error: the service refuses the request (422): refused ?limit=1000\n',
    })
    expect(asked()).toEqual(['1000@-', '100@-', '30@-', '10@-', '1@-', '-@-'])
  })

  test.each(['--all --page-size 300', '--limit 300 --page-size 300'])(
    'rooms list %s sends only one request if the service refuses the page size',
    async (flags) => {
      otherService(world, { refusedLimits: { above: 50, status: 422 } })
      expect(await listIds(flags)).toMatchObject({ code: 1, ids: [] })
      expect(world.requests).toHaveLength(1)
    },
  )

  test('rooms list --all with --retries 0 sends only one request if the response is a 500 without JSON', async () => {
    world.intercept = async () => answer(500, 'out of order')
    expect(await listIds('--all --retries 0')).toMatchObject({ code: 6 })
    expect(asked()).toEqual(['1000@-'])
  })
})

describe('a usage error', () => {
  test.each(['1e3', '-1', '0x10', '0', '', '1.5', ' 5', '+5', '٣', 'Infinity', '99999999999999999999'])(
    'rooms list --limit %j is a usage error',
    async (text) => {
      const { code, stdout, stderr } = await world.run(['rooms', 'list', '--limit', text])
      expect({ code, stdout, stderr }).toEqual({
        code: 2,
        stdout: '',
        stderr: `error: --limit must be a whole number, at least 1, not “${text}”\nhint: for all items: meetroom rooms list --all --base-url https://meet.test/v1\n`,
      })
      expect(world.requests).toEqual([])
    },
  )

  test.each([
    ['--offset', '-1', 0],
    ['--offset', '1e3', 0],
    ['--page-size', '0', 1],
    ['--page-size', '', 1],
  ])('rooms list %s %j is a usage error', async (flag, text, minimum) => {
    const { code, stderr } = await world.run(['rooms', 'list', flag, text])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: ${flag} must be a whole number, at least ${minimum}, not “${text}”\n`,
    })
    expect(world.requests).toEqual([])
  })

  test.each(['rooms list', 'users list', 'members list r1', 'sessions list r1'])(
    '%s --limit with --all is a usage error',
    async (command) => {
      const { code, stderr } = await world.run(`${command} --all --limit 5`)
      expect({ code, stderr }).toEqual({
        code: 2,
        stderr: 'error: --all and --limit cannot be used together\n',
      })
      expect(world.requests).toEqual([])
    },
  )
})

describe('sessions list on a service without paging', () => {
  const body = JSON.stringify({ sessions: ids(40).map((id) => ({ id })), unlisted: 1 })
  beforeEach(() => {
    world.intercept = async () => answer(200, body)
  })

  test.each([
    ['', [0, 40], '-@-'],
    ['--all', [0, 40], '-@-'],
    ['--limit 3', [0, 3], '3@-'],
    ['--offset 35', [35, 40], '-@35'],
    ['--limit 3 --offset 10', [10, 13], '3@10'],
    ['--limit 100', [0, 40], '100@-'],
    ['--offset 100', [40, 40], '-@100'],
    ['--all --page-size 2', [0, 40], '2@-'],
  ] as const)(
    'on a service without paging, the command “sessions list r1 %s” prints the selected sessions',
    async (flags, [from, to], query) => {
      const { code, stdout, stderr } = await world.run(`sessions list r1 -o ids ${flags}`.trim())
      expect({ code, ids: lines(stdout), stderr }).toEqual({
        code: 0,
        ids: ids(40).slice(from, to),
        stderr: '',
      })
      expect(asked()).toEqual([query])
    },
  )

  test('sessions list on a service without paging prints a complete response byte for byte, and a selection as new JSON', async () => {
    expect((await world.run('sessions list r1 --json --all')).stdout).toBe(body)
    expect((await world.run('sessions list r1 --json --limit 1')).stdout).toBe(
      '{"sessions":[{"id":"r1"}],"unlisted":1}\n',
    )
  })
})

describe('sessions list on a service with paging', () => {
  const items = ids(95).map((id, i) => ({ id, user_id: i % 2 ? 'ada' : 'alan' }))
  beforeEach(() => {
    otherService(world, { sessions: { items, paged: true } })
  })
  const more = '; use --all, or --limit and --offset\n'

  test.each([
    ['', [0, 30], `showing 30 of 95${more}`, ['-@-']],
    ['--all', [0, 95], '', ['-@-', '-@30', '-@60', '-@90']],
    ['--limit 50', [0, 50], '', ['50@-']],
    ['--limit 200', [0, 95], '', ['200@-']],
    ['--offset 40', [40, 70], `showing 30 of 95${more}`, ['-@40']],
    ['--offset 80', [80, 95], '', ['-@80']],
    ['--limit 5 --offset 93', [93, 95], '', ['5@93']],
    ['--all --page-size 60', [0, 95], '', ['60@-', '60@60']],
  ] as const)(
    'on a service with paging, the command “sessions list r1 %s” prints the selected sessions',
    async (flags, [from, to], notice, queries) => {
      const { code, stdout, stderr } = await world.run(`sessions list r1 -o ids ${flags}`.trim())
      expect({ code, ids: lines(stdout), stderr }).toEqual({
        code: 0,
        ids: ids(95).slice(from, to),
        stderr: notice,
      })
      expect(asked()).toEqual(queries)
    },
  )

  test.each([
    ['', items.filter(({ user_id }) => user_id === 'ada')],
    ['--limit 20', items.filter(({ user_id }) => user_id === 'ada').slice(0, 20)],
    ['--limit 20 --offset 40', items.filter(({ user_id }) => user_id === 'ada').slice(40, 60)],
  ])(
    'on a service with paging, the command “sessions list r1 --where user_id=ada %s” searches all pages',
    async (flags, wanted) => {
      expect(await world.run(`sessions list r1 -o ids --where user_id=ada ${flags}`.trim())).toMatchObject({
        code: 0,
        stdout: wanted.map(({ id }) => `${id}\n`).join(''),
        stderr: '',
      })
    },
  )

  test('on a service with paging, sessions list --all --json prints one document with every session', async () => {
    expect(JSON.parse((await world.run('sessions list r1 --json --all')).stdout)).toEqual({
      sessions: items,
      paging: { limit: 95, offset: 0, total: 95 },
    })
  })
})

test('users list --local --all exits 130 after ^C, before the end of a long list', async () => {
  const { done: imported } = world.start(['--local', 'users', 'import', '-', '--input-format', 'csv'], {
    stdin: usersCsv(300),
  })
  expect(await imported).toMatchObject({ code: 0 })
  const { host, done } = world.start('--local users list --all --page-size 1 -o ids'.split(' '))
  const write = host.stdout.write.bind(host.stdout)
  host.stdout.write = async (data) => {
    if (host.stdout.text === '') setImmediate(() => host.signal('SIGINT'))
    await write(data)
  }
  expect(await done).toMatchObject({ code: 130, stderr: 'error: interrupted\n' })
  expect(host.stdout.text.split('\n').length).toBeLessThan(100)
})
