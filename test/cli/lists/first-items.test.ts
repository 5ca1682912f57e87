import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { WireRequest } from '../../../src/api/wire.ts'
import { perTest } from '../../helpers/per-test.ts'
import { answer, baseUrl, createWorld, type Intercept } from '../../helpers/world.ts'

const world = perTest(createWorld)

const requests = () => world.requests.map(({ url }) => decodeURIComponent(url.slice(baseUrl.length)))
const queryOf = ({ url }: WireRequest) => Object.fromEntries(new URL(url).searchParams)

interface Thing {
  id: string
  created_at?: string | null
  name: string
}

const at = (seconds: number) => new Date(Date.UTC(2026, 0) + seconds * 1000).toISOString()

type Order = (items: readonly Thing[], sign: number) => readonly Thing[]

/** Items without a time come last in both directions. */
const byTime: Order = (items, sign) => {
  const rank = ({ created_at }: Thing) => sign * Date.parse(created_at ?? (sign > 0 ? '2099' : '1980'))
  return items.toSorted((a, b) => rank(a) - rank(b))
}

/** Services by what they do with `sort_by`. The items are the list without it. */
const orders: Record<string, Order> = {
  sorts: byTime,
  'sorts, with ties in reverse': (items, sign) => byTime(items.toReversed(), sign),
  'ignores sort_by': (items) => items,
  'sorts in reverse': (items, sign) => byTime(items, -sign),
  'sorts in ascending order only': (items) => byTime(items, 1),
  'sorts by name': (items, sign) =>
    items.toSorted((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -sign : sign)),
  'sorts the first half': (items, sign) => {
    const half = Math.ceil(items.length / 2)
    return [...byTime(items.slice(0, half), sign), ...items.slice(half)]
  },
  'sorts both halves': (items, sign) => {
    const half = Math.ceil(items.length / 2)
    return [...byTime(items.slice(0, half), sign), ...byTime(items.slice(half), sign)]
  },
  'lists every second item': (items, sign) => byTime(items, sign).filter((_, i) => i % 2 === 0),
  'lists items twice': (items, sign) => byTime(items, sign).flatMap((item) => [item, item]),
}

interface Quirks {
  cap: number
  hasTotal: boolean
  sortsEachPage: boolean
}

function service(items: readonly Thing[], order: Order, { cap, hasTotal, sortsEachPage }: Quirks): Intercept {
  return async (request) => {
    const { sort_by, ...query } = queryOf(request)
    const limit = Math.min(Number(query['limit'] ?? 30), cap)
    const offset = Number(query['offset'] ?? 0)
    const sorted = sort_by === undefined ? items : order(items, sort_by.startsWith('-') ? -1 : 1)
    const page = sorted.slice(offset, offset + limit)
    return answer(200, {
      rooms: sortsEachPage && sort_by ? byTime(page, sort_by.startsWith('-') ? -1 : 1) : page,
      paging: { limit, offset, ...(hasTotal && { total: sorted.length }) },
    })
  }
}

/** Prints a list by a service that sorts, or by one that ignores `sort_by`. */
async function list(line: string, intercept: Intercept) {
  world.intercept = async (request, next, signal) => {
    const room = /\/rooms\/(\w+)$/.exec(request.url)
    return room ? answer(404, {}) : intercept(request, next, signal)
  }
  const { code, stdout } = await world.run(`rooms list ${line} --quiet`)
  return { code, stdout }
}

const times = {
  distinct: fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { maxLength: 100, size: 'max' }),
  equal: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 100, size: 'max' }),
  missing: fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined }), {
    maxLength: 100,
    size: 'max',
  }),
  empty: fc.array(fc.option(fc.integer({ min: 1, max: 60 }), { nil: null }), { maxLength: 100, size: 'max' }),
}

/** At most 100 items, as many as the sample of the unsorted list. */
const things = fc
  .oneof({ weight: 3, arbitrary: times.distinct }, times.equal, times.missing, times.empty)
  .map((times) =>
    times.map((time, i): Thing => {
      const created_at = typeof time === 'number' ? at(time) : time
      return { id: `r${i}`, name: 'abcd'[i % 4] ?? '', ...(created_at !== undefined && { created_at }) }
    }),
  )

const quirks = fc.record({
  cap: fc.constantFrom(2, 7, 30, 1000),
  hasTotal: fc.boolean(),
  sortsEachPage: fc.boolean(),
})

describe('--sort created_at with --limit', () => {
  test.each(Object.entries(orders))(
    'prints the same items as a full read if the service %s',
    async (_, order) => {
      await fc.assert(
        fc.asyncProperty(
          things,
          quirks,
          fc.record({
            sign: fc.constantFrom('', '-'),
            limit: fc.integer({ min: 1, max: 12 }),
            offset: fc.integer({ min: 0, max: 5 }),
            format: fc.constantFrom('json', 'csv'),
          }),
          async (items, quirks, { sign, limit, offset, format }) => {
            const line = `--sort ${sign}created_at --limit ${limit} --offset ${offset} -o ${format}`
            const full = await list(
              line,
              service(items, (items) => items, { ...quirks, sortsEachPage: false }),
            )
            expect(await list(line, service(items, order, quirks))).toEqual(full)
          },
        ),
        { numRuns: 40 },
      )
    },
  )

  test('prints each item only once and in order if the list changes between the requests', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 60, maxLength: 90 }),
        fc.record({
          changesAt: fc.integer({ min: 1, max: 12 }),
          removed: fc.nat(),
          added: fc.constantFrom(0, 1, 3),
          sign: fc.constantFrom('', '-'),
          limit: fc.integer({ min: 1, max: 40 }),
          cap: fc.constantFrom(10, 1000),
        }),
        async (times, { changesAt, removed, added, sign, limit, cap }) => {
          const before = times.map((time, i): Thing => {
            return { id: `r${i}`, name: 'n', created_at: at(time) }
          })
          const news = Array.from({ length: added }, (_, i): Thing => {
            return { id: `n${i}`, name: 'n', created_at: at(600 + i) }
          })
          const after = [...news, ...before.filter((_, i) => i !== removed % before.length)]
          let count = 0
          const { code, stdout } = await list(
            `--sort ${sign}created_at --limit ${limit} -o ids`,
            (request, next, signal) => {
              const items = ++count < changesAt ? before : after
              return service(items, byTime, { cap, hasTotal: true, sortsEachPage: false })(
                request,
                next,
                signal,
              )
            },
          )
          expect(code).toBe(0)
          const ids = stdout.split('\n').slice(0, -1)
          const all = new Map([...before, ...after].map((item) => [item.id, item]))
          const printed = ids.map((id) => all.get(id) as Thing)
          expect(ids).toEqual(byTime([...new Set(printed)], sign ? -1 : 1).map(({ id }) => id))
          // An item that was there all the time is printed if it belongs before the last one.
          const stayed = byTime(
            before.filter((item) => after.includes(item)),
            sign ? -1 : 1,
          ).map(({ id }) => id)
          const last = stayed.findLastIndex((id) => ids.includes(id))
          expect(ids).toEqual(expect.arrayContaining(stayed.slice(0, last + 1)))
          expect(ids.length).toBeGreaterThanOrEqual(Math.min(limit, stayed.length) - 1)
        },
      ),
      { numRuns: 60 },
    )
  })

  test.each([400, 422, 500])(
    'reads the whole list if the service refuses sort_by with %s',
    async (status) => {
      const items = [3, 1, 2].map((n) => ({ id: `r${n}`, name: 'n', created_at: `2026-01-0${n}T00:00:00Z` }))
      const plain = service(items, byTime, { cap: 30, hasTotal: true, sortsEachPage: false })
      const { code, stdout } = await list(
        '--sort created_at --limit 2 -o ids',
        async (request, next, signal) =>
          'sort_by' in queryOf(request)
            ? answer(status, { error: { message: 'what?' } })
            : plain(request, next, signal),
      )
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'r1\nr2\n' })
    },
  )
})

describe('rooms list of the embedded service', () => {
  test('with --sort and --limit reads only a few of many rooms', async () => {
    const ids: string[] = []
    for (let i = 0; i < 200; i++)
      ids.push((await world.send('POST', '/rooms', { name: `R${i}`, type: 'open' })).body.room.id)
    const { code, stdout, stderr } = await world.run('rooms list --sort created_at --limit 3 -o ids')
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: ids
        .slice(0, 3)
        .map((id) => `${id}\n`)
        .join(''),
      stderr: '',
    })
    expect(requests()).toEqual([
      '/rooms?sort_by=+created_at&limit=1',
      '/rooms?sort_by=-created_at&limit=1',
      '/rooms?sort_by=+created_at&limit=33',
      '/rooms?limit=100',
    ])
    world.requests.length = 0
    const { rooms, paging } = JSON.parse(
      (await world.run('rooms list --sort -created_at --limit 3 --offset 2 --json')).stdout,
    )
    expect(rooms.map(({ id }: { id: string }) => id)).toEqual(ids.toReversed().slice(2, 5))
    expect(paging).toEqual({ limit: 3, offset: 2, total: 200 })
    expect(requests()).toHaveLength(6)
  })

  test.each([
    ['--sort created_at', '--limit is missing'],
    ['--sort created_at,name --limit 3', 'it sorts by several fields'],
    ['--sort created_at --limit 3 --where type=open', '--where filters the rooms'],
  ])('with %s reads all rooms because %s', async (flags) => {
    await world.send('POST', '/rooms', { name: 'R', type: 'open' })
    const { code, stderr } = await world.run(`rooms list ${flags} -o ids`)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '--sort reads all rooms first\n' })
    expect(requests().filter((url) => url.includes('sort_by'))).toEqual([])
  })

  test('with --sort, --limit and --curl prints the request for the whole list', async () => {
    const { stdout } = await world.run('rooms list --sort created_at --limit 3 --curl')
    expect(stdout).not.toContain('sort_by')
    expect(world.requests).toEqual([])
  })
})
