import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld, type Intercept } from '../../../helpers/world.ts'
import { share } from '../../../suites/size.ts'

const world = perTest(createWorld)

type Thing = Record<string, unknown>
type Paging = (facts: { limit: number; offset: number; count: number }) => unknown

interface Service {
  /** Returns the items of the requested page, or null in place of the list. */
  page: (items: readonly Thing[], limit: number, offset: number) => readonly Thing[] | null
  paging: Paging
  /** Name of the list with this behavior; all lists by default. The other lists are complete. */
  only?: string
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const items: Record<string, readonly Thing[]> = {
  rooms: numbers(40).map((i) => ({ id: `r${i}`, type: 'private', name: `Room ${i}`, online: 0 })),
  users: numbers(40).map((i) => ({ user_id: `u${i}`, id: `i${i}`, name: `User ${i}` })),
  members: numbers(40).map((i) => ({ id: `m${i}`, user_id: `u${i}`, name: `User ${i}`, type: 'guest' })),
  sessions: numbers(40).map((i) => ({
    ...{ id: `s${i}`, member_id: `m${i}`, user_id: `u${i}`, name: `User ${i}` },
    ...{ connected_at: '2026-01-01T08:00:00.000Z', disconnected_at: '2026-01-01T09:00:00.000Z' },
  })),
}

function service({ page, paging, only }: Service): Intercept {
  return async ({ method, url }) => {
    const { pathname, searchParams } = new URL(url)
    const parts = pathname.split('/').slice(2)
    const last = parts.at(-1) ?? ''
    const list = items[last]
    if (method !== 'GET') return answer(200, { ok: true })
    if (!list) {
      const found = items[parts.at(-2) ?? '']?.find(({ id, user_id }) => id === last || user_id === last)
      return found ? answer(200, { [(parts.at(-2) ?? '').slice(0, -1)]: found }) : answer(404, {})
    }
    const limit = Number(searchParams.get('limit') ?? 30)
    const offset = Number(searchParams.get('offset') ?? 0)
    if (only !== undefined && last !== only)
      return answer(200, {
        [last]: list.slice(offset, offset + limit),
        paging: { limit, offset, total: list.length },
      })
    const given = page(list, limit, offset)
    return answer(200, { [last]: given, paging: paging({ limit, offset, count: given?.length ?? 0 }) })
  }
}

const slice: Service['page'] = (list, limit, offset) => list.slice(offset, offset + limit)
const writes = () => world.requests.filter(({ method }) => method !== 'GET').map(({ method }) => method)

const reads = [
  'rooms list --all',
  'rooms list --all --json',
  'rooms list --all -o csv',
  'rooms list --limit 50',
  'rooms list --sort name',
  'rooms list --where type=private',
  'rooms list --count',
  'rooms list --count --where type=private',
  'rooms list --count-by type',
  'users list --all',
  'users list --count',
  'users list --where name~User',
  'members list r1 --all',
  'members list r1 --count',
  'members list r1 --where type=guest',
  'members get r1 --user u39',
  'sessions list r1 --all',
  'sessions list r1 --count',
  'sessions list r1 --where user_id~u',
  'sessions report r1',
  'sessions report --all-rooms',
  'sessions report --where type=private',
  'users rooms u1',
  'users duplicates',
  'workspace export',
  'rooms export',
  'users export',
  'members export r1',
  'members export --all-rooms',
  'rooms get name:Nobody',
  'rooms wait r1 --for empty --timeout 2s',
  'rooms list --where online=0',
  'api GET /rooms --paginate',
]

const changes = [
  'rooms delete --where type=private --yes',
  'rooms terminate --where type=private --yes',
  'rooms update --where type=private --name X --yes',
  'rooms delete name:Nobody --yes',
  'rooms delete r1 --yes --save saved.ndjson',
  'rooms create --name Nobody --type open --if-not-exists',
  'users delete --where name~User --yes',
  'users delete u1 --yes --save saved.ndjson',
  'users offboard u1 --yes',
  'users offboard --where name~User --yes',
  'members block r1 --where type=guest --yes',
  'members block r1 --user u1 --yes',
  'members unblock r1 --user u1 --yes',
  'members block --user u1 --all-rooms --yes',
  'members unblock --user u1 --all-rooms --yes',
  'api DELETE /rooms/r1 --yes --save saved.ndjson',
  'members import members.csv --yes',
  'rooms import rooms.csv --match name --yes',
]

const services: Record<string, Service> = {
  'reports a total of 52, lists 40 items and then sends an empty page': {
    page: slice,
    paging: () => ({ total: 52 }),
  },
  'reports a total of 52 as text': { page: slice, paging: () => ({ total: '52' }) },
  'reports a total of 52 first and 0 after the end': {
    page: slice,
    paging: ({ count }) => ({ total: count > 0 ? 52 : 0 }),
  },
  'reports a total of 52 first and no total after the end': {
    page: slice,
    paging: ({ count }) => (count > 0 ? { total: 52 } : undefined),
  },
  'repeats its first page': {
    page: (list, limit) => list.slice(0, Math.min(limit, 20)),
    paging: () => ({ total: 40 }),
  },
  'repeats its first page and reports it as complete': {
    page: (list, limit) => list.slice(0, Math.min(limit, 20)),
    paging: ({ count }) => ({ total: count }),
  },
}

/** Services that a full run tests with every command. */
const meetAll = [
  'reports a total of 52, lists 40 items and then sends an empty page',
  'reports a total of 52 first and no total after the end',
  'repeats its first page and reports it as complete',
]

describe.each(Object.entries(services))('on a service that %s', (name, quirks) => {
  const nth = meetAll.indexOf(name)
  const some = <T>(lines: readonly T[]) =>
    nth < 0 ? lines.filter((_, i) => i % 9 === 0) : share(lines, nth, meetAll.length)

  test.each(some(reads))(
    `on a service that ${name}, the command “%s --quiet” exits 8 with an error`,
    async (line) => {
      world.intercept = service(quirks)
      const { code, stderr } = await world.run(`${line} --quiet`)
      expect({ code, stderr }).toEqual({
        code: 8,
        stderr: expect.stringMatching(/listed \d+|could not read|failed|could not be read/),
      })
    },
  )

  test.each(some(changes))(`on a service that ${name}, the command “%s” sends no write`, async (line) => {
    writeFileSync(join(world.dir, 'members.csv'), 'room_id,user_id,type\nr1,u39,host\n')
    writeFileSync(join(world.dir, 'rooms.csv'), 'name,type\nRoom 39,open\n')
    world.intercept = service(quirks)
    const { code, stderr } = await world.run(`${line} --quiet`)
    // An import whose only row fails exits 1.
    const expected = line.includes(' import ') ? 1 : 8
    expect({ code, writes: writes() }, stderr).toEqual({ code: expected, writes: [] })
  })
})

test.each(['rooms', 'users'])(
  '%s list --all exits 8 with the error code incomplete if the service lists 40 of 52 items',
  async (list) => {
    world.intercept = service({ page: slice, paging: () => ({ total: 52 }) })
    const { code, stdout, stderr } = await world.run(`${list} list --all --json`)
    expect({ code, error: JSON.parse(stderr).error }).toEqual({
      code: 8,
      error: { code: 'incomplete', message: `the service listed 40 of 52 ${list}`, retryable: true },
    })
    expect(JSON.parse(stdout)[list]).toHaveLength(40)
  },
)

test('members export --all-rooms prints the members of the listed rooms and exits 8 if the list of rooms is incomplete', async () => {
  world.intercept = service({ page: slice, paging: () => ({ total: 52 }), only: 'rooms' })
  const { code, stdout, stderr } = await world.run('members export --all-rooms --columns id --no-header')
  expect({ code, stderr }).toEqual({ code: 8, stderr: 'error: the service listed 40 of 52 rooms\n' })
  expect(stdout.split('\r\n')).toHaveLength(40 * 40 + 1)
})

test.each(['users rooms u1 -o csv --no-header', 'users rooms u1 --no-header'])(
  'the command “%s” prints the memberships in the listed rooms and exits 8 if the list of rooms is incomplete',
  async (line) => {
    world.intercept = service({ page: slice, paging: () => ({ total: 52 }), only: 'rooms' })
    const { code, stdout, stderr } = await world.run(line)
    expect({ code, stderr }).toEqual({ code: 8, stderr: 'error: the service listed 40 of 52 rooms\n' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(40)
  },
)

test('users offboard does not delete the user if a list of members is incomplete', async () => {
  const ordinary = service({ page: slice, paging: () => ({ total: 40 }) })
  const partial = service({ page: slice, paging: () => ({ total: 52 }) })
  world.intercept = (request, next, signal) =>
    (request.url.includes('/r7/members') ? partial : ordinary)(request, next, signal)
  const { code, stderr } = await world.run('users offboard u1 --yes --quiet')
  expect({ code, deletions: writes().filter((method) => method === 'DELETE') }, stderr).toEqual({
    code: 8,
    deletions: [],
  })
})

describe('a list whose total is wrong', () => {
  const rooms = numbers(2130).map((i) => ({ id: `r${i}`, type: 'open', name: `Room ${i}` }))
  const capped = (cap: number, total: (facts: { end: number; count: number }) => unknown) => {
    world.intercept = async ({ url }) => {
      const { searchParams } = new URL(url)
      const offset = Number(searchParams.get('offset') ?? 0)
      const page = rooms.slice(offset, offset + Math.min(cap, Number(searchParams.get('limit') ?? 30)))
      const facts = { end: offset + page.length, count: page.length }
      return answer(200, { rooms: page, paging: { total: total(facts) } })
    }
  }

  test.each<[string, number, (facts: { end: number; count: number }) => unknown]>([
    ['the size of its page of 50 items', 50, ({ count }) => count],
    ['the size of its page of 1,000 items', 1000, ({ count }) => count],
    ['the maximum page size of 50', 50, () => 50],
    ['the maximum page size of 1,000', 1000, () => 1000],
    ['1,000 with pages of 300 items', 300, () => 1000],
    ['the number of items sent so far', 100, ({ end }) => end],
    ['0', 100, () => 0],
    ['0 as text', 100, () => '0'],
  ])('a list whose total is wrong is read to the end if the total is %s', async (_, cap, total) => {
    capped(cap, total)
    for (const flags of ['--all', '--where name~Room']) {
      const { code, stdout, stderr } = await world.run(`rooms list ${flags} -o ids --quiet`)
      const count = stdout.split('\n').length - 1
      expect({ code, stderr, count }).toEqual({ code: 0, stderr: '', count: 2130 })
    }
    expect(await world.run('rooms list --count --quiet')).toMatchObject({ code: 0, stdout: '2130\n' })
  })

  test('a list with a correct total is read with one request if the first page contains all items', async () => {
    rooms.length = 47
    capped(1000, () => rooms.length)
    for (const flags of ['--all', '--limit 300', '--sort name', '--where name~Room']) {
      world.requests.length = 0
      await world.run(`rooms list ${flags} -o ids --quiet`)
      expect(world.requests).toHaveLength(1)
    }
  })
})

test.each(['rooms list --json', 'rooms list --all --json', 'api GET /rooms --paginate'])(
  'the command “%s” exits 0 without an error if the service sends null instead of a list',
  async (line) => {
    const body = '{"rooms":null,"paging":{"total":0}}'
    world.intercept = async () => answer(200, body)
    expect(await world.run(line)).toMatchObject({ code: 0, stderr: '' })
  },
)

test.each([
  ['rooms list --count', '0\n'],
  ['rooms list -o ids', ''],
  ['rooms list --where type=open -o ids', ''],
  ['users rooms u1 -o ids', ''],
])('the command “%s” accepts null as an empty list of rooms and prints %j', async (line, stdout) => {
  const ordinary = service({ page: slice, paging: () => ({ total: 40 }) })
  const without = service({ page: () => null, paging: () => ({ total: 0 }) })
  world.intercept = (request, next, signal) =>
    (/\/rooms(\?|$)/.test(request.url) ? without : ordinary)(request, next, signal)
  expect(await world.run(line)).toMatchObject({ code: 0, stdout })
})

describe('--offset', () => {
  const ignoring = (says: unknown, honours: boolean) =>
    service({
      page: (list, limit, offset) => list.slice(honours ? offset : 0).slice(0, limit),
      paging: () => ({ total: 40, offset: says }),
    })

  test.each(['', '--all', '--limit 10', '--quiet'])(
    'the command “rooms list --offset 20 %s” exits 8 if the service ignores the offset',
    async (flags) => {
      world.intercept = ignoring(0, false)
      expect(await world.run(`rooms list --offset 20 -o ids ${flags}`.trim())).toMatchObject({
        code: 8,
        stderr: expect.stringContaining('it ignored offset 20 and began at the first item'),
      })
    },
  )

  test('rooms list --offset exits 0 if the service applies the offset, even if the response names another offset', async () => {
    world.intercept = ignoring('0', true)
    expect(await world.run('rooms list --offset 20 --limit 5 -o ids')).toMatchObject({
      code: 0,
      stdout: 'r20\nr21\nr22\nr23\nr24\n',
      stderr: '',
    })
  })
})

test('commands that list rooms find all other rooms if a room is deleted between two page requests', async () => {
  const ids: string[] = []
  // The service limits pages to 50 rooms, so the list has two pages.
  for (let i = 0; i < 60; i++)
    ids.unshift((await world.send('POST', '/rooms', { name: `R${i}`, type: 'private' })).body.room.id)
  await world.send('POST', '/users', { user_id: 'ada' })
  let asked = 0
  world.intercept = async (request, next) => {
    // A deleted room moves the first room of the second page to the first page.
    if (request.method === 'GET' && /\/rooms\?/.test(request.url) && ++asked === 2)
      await world.send('DELETE', `/rooms/${ids.shift()}`)
    return next({ ...request, url: request.url.replace(/limit=\d{3,}/, 'limit=50') })
  }

  for (const line of ['list --all -o ids', 'list --where type=private -o ids', 'export --columns id']) {
    asked = 0
    const { code, stdout } = await world.run(`rooms ${line} --no-header`)
    const listed = new Set(stdout.trimEnd().split(/\r?\n/))
    expect({ line, code, missed: ids.filter((id) => !listed.has(id)) }).toEqual({ line, code: 0, missed: [] })
  }

  asked = 0
  const moving = ids[50] ?? ''
  await world.send('POST', `/rooms/${moving}/members`, { user_id: 'ada' })
  const { code, stdout, stderr } = await world.run('users rooms ada --quiet -o ids')
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `${moving}\n`, stderr: '' })

  asked = 0
  const next = ids[50] ?? ''
  await world.send('POST', `/rooms/${next}/members`, { user_id: 'ada' })
  expect(await world.run('users offboard ada --yes')).toMatchObject({ code: 0 })
  expect(writes()).toEqual(['PUT', 'PUT', 'DELETE'])
  expect(world.requests.some(({ method, url }) => method === 'PUT' && url.includes(next))).toBe(true)
})

describe('a list that differs in every response', () => {
  beforeEach(() => {
    let rooms = numbers(1300).map((i) => ({ id: `r${i}`, type: 'private', name: `Room ${i}` }))
    world.intercept = async ({ url, method }) => {
      if (method !== 'GET') return answer(200, { ok: true })
      const { pathname, searchParams } = new URL(url)
      if (pathname.endsWith('/members')) return answer(200, { members: [], paging: { total: 0 } })
      const [, id] = /rooms\/(.*)/.exec(pathname) ?? []
      if (id) return answer(200, { room: { id, type: 'private', name: 'Room' } })
      if (pathname.includes('users')) return answer(200, { user: { user_id: 'u1' } })
      const offset = Number(searchParams.get('offset') ?? 0)
      const page = rooms.slice(offset, offset + Number(searchParams.get('limit')))
      const body = { rooms: page, paging: { total: rooms.length } }
      rooms = rooms.slice(1)
      return answer(200, body)
    }
  })

  test('rooms list prints every room of a list that differs in every response', async () => {
    const { code, stdout } = await world.run('rooms list --all -o ids --page-size 500')
    expect({ code, count: stdout.split('\n').length - 1 }).toEqual({ code: 0, count: 1300 })
  })

  test('rooms export is complete if two passes over a changing list together contain as many items as the final total', async () => {
    const { code, stdout } = await world.run('rooms export --columns id --no-header')
    expect({ code, count: new Set(stdout.trimEnd().split('\r\n')).size }).toEqual({ code: 0, count: 1300 })
  })

  test.each(['rooms delete --where type=private --yes', 'users offboard u1 --yes'])(
    'the command “%s” sends no write if the list differs in every response',
    async (line) => {
      const { code, stderr } = await world.run(`${line} --quiet`)
      expect({ code, writes: writes(), stderr }).toEqual({
        code: 8,
        writes: [],
        stderr: expect.stringContaining('the list changed while it was read, 3 times in a row'),
      })
    },
  )
})

test('rooms export prints every room if a room is inserted between two page requests and the service sends no total', async () => {
  const rooms = numbers(150).map((i) => ({ id: `r${i}`, type: 'open', name: `Room ${i}` }))
  let asked = 0
  world.intercept = async ({ url }) => {
    if (/\/rooms\?/.test(url) && ++asked === 2) rooms.unshift({ id: 'new', type: 'open', name: 'New' })
    const { searchParams, pathname } = new URL(url)
    if (!pathname.endsWith('/rooms')) return answer(200, { room: rooms.find(({ id }) => url.endsWith(id)) })
    const offset = Number(searchParams.get('offset') ?? 0)
    return answer(200, { rooms: rooms.slice(offset, offset + 100), paging: {} })
  }
  const { code, stdout } = await world.run('rooms export --columns id --no-header')
  expect({ code, listed: new Set(stdout.trimEnd().split('\r\n')).size }).toEqual({ code: 0, listed: 151 })
})
