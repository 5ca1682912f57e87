import { describe, expect, test } from 'vitest'
import { perTest } from '../../../helpers/per-test.ts'
import { answer, createWorld } from '../../../helpers/world.ts'

const world = perTest(createWorld)

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const roomOf = (i: number) => ({ id: `r${i}`, type: 'private', name: `Room ${i}`, online: 0 })

/** Rows of a list in one reading. Readings count from 0. */
type Rows = (reading: number) => readonly number[]

interface Options {
  cap?: number
  total?: (reading: number) => number | undefined
}

/** Simulates a service whose rows may differ between readings, as with unstable sort orders. */
function serveReadings(rows: Rows, { cap = 10, total = () => 47 }: Options = {}) {
  let reading = -1
  world.intercept = async ({ method, url }) => {
    const { pathname, searchParams } = new URL(url)
    const [, , list, id, members] = pathname.split('/')
    if (members) return answer(200, { members: [], paging: { total: 0 } })
    if (method !== 'GET') return answer(200, { room: roomOf(Number(id?.slice(1))) })
    if (id) return answer(200, { room: roomOf(Number(id.slice(1))) })
    if (list !== 'rooms') return answer(404, {})
    const offset = Number(searchParams.get('offset') ?? 0)
    const limit = Math.min(Number(searchParams.get('limit') ?? 30), cap)
    if (offset === 0) reading++
    const page = rows(reading).slice(offset, offset + limit)
    return answer(200, { rooms: page.map(roomOf), paging: { total: total(reading) } })
  }
}

const rowsWithRepeat = (at: number) => numbers(47).map((i) => (i === at ? i - 1 : i))
const writes = () =>
  world.requests.filter(({ method }) => method !== 'GET').map(({ url }) => url.split('/').at(-1))
const listed = (stdout: string) => stdout.split(/\r?\n/).slice(0, -1).sort()
const all = numbers(47)
  .map((i) => `r${i}`)
  .sort()
const lists = [
  'rooms list --all -o ids',
  'rooms list --where type=private -o ids',
  'rooms export --columns id --no-header',
]

describe('lists with repeated rows', () => {
  test.each(lists)(
    'the command “%s” reads a list again if the first reading repeats a row and lacks another row',
    async (line) => {
      serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(47)))
      const { code, stdout } = await world.run(line)
      expect({ code, ids: listed(stdout) }).toEqual({ code: 0, ids: all })
    },
  )

  test.each(lists)(
    'the command “%s” reads a list a third time if two readings repeat a row and lack another row',
    async (line) => {
      serveReadings((reading) => (reading < 2 ? rowsWithRepeat(20) : numbers(47)))
      const { code, stdout } = await world.run(line)
      expect({ code, ids: listed(stdout) }).toEqual({ code: 0, ids: all })
    },
  )

  test('rooms list --count and rooms list --count-by count all rooms if the first reading repeats a row and lacks another row', async () => {
    serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(47)))
    expect(await world.run('rooms list --count --where type=private')).toMatchObject({
      code: 0,
      stdout: '47\n',
    })
    serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(47)))
    const { stdout } = await world.run('rooms list --count-by type -o csv --no-header')
    expect(stdout).toBe('private,47\r\n')
  })

  test.each(['rooms delete', 'rooms terminate'])(
    '%s --where changes every room if the first reading repeats a row and lacks another row',
    async (command) => {
      serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(47)))
      await world.run(`${command} --where type=private --yes --max 99 --quiet`)
      expect([...new Set(writes())].sort()).toEqual(all)
    },
  )

  test('after three readings that differ, rooms export exits 8, and rooms delete --where sends no write', async () => {
    serveReadings((reading) => rowsWithRepeat(20 + reading).filter((i) => i !== 7))
    const { code, stderr } = await world.run('rooms export --quiet')
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: 'error: the service listed 46 of 47 rooms: the list repeats items\n',
    })
    expect(await world.run('rooms delete --where type=private --yes --max 99')).toMatchObject({ code: 8 })
    expect(writes()).toEqual([])
  })
})

describe('lists with a permanently repeated row', () => {
  test.each(lists)('the command “%s” prints a notice if each reading repeats the same row', async (line) => {
    serveReadings(() => rowsWithRepeat(20))
    const { code, stdout, stderr } = await world.run(line)
    expect({ code, ids: listed(stdout) }).toEqual({ code: 0, ids: all.filter((id) => id !== 'r20') })
    expect(stderr).toContain('the service lists some rooms twice: 46 of 47 are distinct\n')
  })

  test.each([
    'rooms delete --where type=private --yes --max 99',
    'members block --user ada --all-rooms --yes',
  ])('the command “%s” sends no write if each reading repeats the same row', async (line) => {
    serveReadings(() => rowsWithRepeat(20))
    expect(await world.run(line)).toMatchObject({
      code: 8,
      stderr: expect.stringContaining('the service listed 46 of 47 rooms: the list repeats items'),
    })
    expect(writes()).toEqual([])
  })

  test('rooms list --limit reads a list once even if the list repeats a row', async () => {
    serveReadings(() => rowsWithRepeat(20))
    expect(await world.run('rooms list --limit 30 -o ids')).toMatchObject({ code: 0, stderr: '' })
    expect(world.requests).toHaveLength(4)
  })
})

describe('a list without a total', () => {
  const total = () => undefined

  test('rooms list --all reads a list without a total only once if no row is repeated', async () => {
    serveReadings(() => numbers(47), { total })
    expect(await world.run('rooms list --all -o ids')).toMatchObject({ code: 0, stderr: '' })
    expect(world.requests).toHaveLength(6)
  })

  test('rooms list --all prints every room of a list without a total if two readings show the same rows', async () => {
    serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(47)), { total })
    const { code, stdout } = await world.run('rooms list --all -o ids')
    expect({ code, ids: listed(stdout) }).toEqual({ code: 0, ids: all })
  })

  test('rooms list --all exits 8 for a list without a total if three readings repeat rows and differ', async () => {
    serveReadings((reading) => rowsWithRepeat(20 + reading), { total })
    expect(await world.run('rooms list --all -o ids')).toMatchObject({
      code: 8,
      stderr: 'error: the service listed 47 rooms, and there may be more: the list repeats items\n',
    })
  })
})

test('rooms list prints a row that moves to another page while the list is read', async () => {
  let asked = 0
  const rows = numbers(47)
  serveReadings(() => rows)
  const served = world.intercept
  world.intercept = async (request, next, signal) => {
    if (++asked === 2) rows.unshift(...rows.splice(30, 1))
    return served?.(request, next, signal) ?? next()
  }
  const { code, stdout } = await world.run('rooms list --all -o ids')
  expect({ code, ids: listed(stdout) }).toEqual({ code: 0, ids: all })
})

test('rooms delete --where deletes no row that is missing from the last reading', async () => {
  serveReadings((reading) => (reading === 0 ? rowsWithRepeat(20) : numbers(46)), {
    total: (reading) => (reading === 0 ? 47 : 46),
  })
  await world.run('rooms delete --where type=private --yes --max 99 --quiet')
  expect([...new Set(writes())].sort()).toEqual(all.filter((id) => id !== 'r46'))
})

describe('--allow-incomplete', () => {
  const short = () => serveReadings(() => numbers(30), {})

  test.each(['rooms list --all -o ids', 'rooms export --columns id --no-header', 'rooms list --count'])(
    'the command “%s” with --allow-incomplete accepts a list whose total exceeds the number of items, and prints a notice',
    async (line) => {
      short()
      const { code, stderr } = await world.run(`${line} --allow-incomplete`)
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringContaining('warning: the service listed 30 of 47 rooms\n'),
      })
    },
  )

  test('rooms list --allow-incomplete exits 8 if the list changes while it is read', async () => {
    serveReadings((reading) => numbers(30 + reading), {})
    expect(await world.run('rooms list --all -o ids --allow-incomplete')).toMatchObject({ code: 8 })
  })

  test.each(['rooms delete --where type=private --yes', 'members block --user ada --all-rooms --yes'])(
    'the command “%s” refuses --allow-incomplete because it writes',
    async (line) => {
      short()
      expect(await world.run(`${line} --allow-incomplete`)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(
          /^error: --allow-incomplete cannot be used with “[a-z ]+”, only with commands that read from a service\n$/,
        ),
      })
      expect(world.requests).toEqual([])
    },
  )
})

describe('the end of a list', () => {
  /** Simulates a service that responds with `behind` to offsets after the last row. */
  function serveEnd(
    count: number,
    behind: (rooms: readonly unknown[], limit: number) => ReturnType<typeof answer>,
  ) {
    const rooms = numbers(count).map(roomOf)
    world.intercept = async ({ url }) => {
      const { searchParams, pathname } = new URL(url)
      const [, , , id] = pathname.split('/')
      if (id) return answer(200, { room: roomOf(Number(id.slice(1))) })
      const offset = Number(searchParams.get('offset') ?? 0)
      const limit = Math.min(Number(searchParams.get('limit') ?? 30), 10)
      if (offset > 0 && offset >= count) return behind(rooms, limit)
      return answer(200, { rooms: rooms.slice(offset, offset + limit), paging: { total: count } })
    }
  }

  test.each([
    ['400', () => answer(400, { error: { message: 'offset out of range' } })],
    ['404', () => answer(404, { error: { message: 'no such page' } })],
    ['416', () => answer(416, { error: { message: 'range not satisfiable' } })],
    [
      'the last page again',
      (rooms: readonly unknown[], limit: number) =>
        answer(200, { rooms: rooms.slice(-limit), paging: { total: rooms.length } }),
    ],
    [
      'the first page again',
      (rooms: readonly unknown[], limit: number) =>
        answer(200, { rooms: rooms.slice(0, limit), paging: { total: rooms.length } }),
    ],
  ] as const)(
    'rooms list and rooms export print every room if a request beyond the end gets the response %s',
    async (_, behind) => {
      for (const count of [10, 20, 30, 47, 50]) {
        serveEnd(count, behind)
        for (const line of ['rooms list --all -o ids', 'rooms export --columns id --no-header --quiet']) {
          const { code, stdout, stderr } = await world.run(line)
          expect({ count, code, stderr, ids: listed(stdout).length }).toEqual({
            count,
            code: 0,
            stderr: '',
            ids: count,
          })
        }
      }
    },
  )
})
