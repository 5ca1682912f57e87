import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isRound } from '../../../../src/cli/lists/paging/list-total.ts'
import type { PageQuery } from '../../../../src/cli/lists/paging/page-size.ts'
import { paginate } from '../../../../src/cli/lists/paging/paginate.ts'
import type { ServiceFacts } from '../../../../src/client/probe.ts'
import { sized } from '../../../suites/size.ts'

interface ListedService {
  /** Rows of each reading. Further readings repeat the last one. */
  readings: readonly (readonly number[])[]
  cap: number
  total?: number | undefined
}

async function readList({ readings, cap, total }: ListedService, serviceFacts: ServiceFacts = {}) {
  const queries: PageQuery[] = []
  const notices: string[] = []
  let reading = -1
  const pages = paginate({
    request: { all: true },
    key: 'rooms',
    id: 'id',
    what: 'rooms',
    serviceFacts,
    notice: async (text) => void notices.push(text),
    fetch: async (query) => {
      const { limit = 30, offset = 0 } = query
      queries.push(query)
      if (offset === 0) reading++
      const rows = readings[Math.min(reading, readings.length - 1)] ?? []
      const rooms = rows.slice(offset, offset + Math.min(limit, cap)).map((id) => ({ id }))
      const value = { rooms, paging: { total } }
      return { value, bytes: new TextEncoder().encode(JSON.stringify(value)), isPlain: true }
    },
  })
  const ids: number[] = []
  try {
    for await (const { items } of pages) ids.push(...items.map(({ id }) => Number(id)))
    return { ids, notices, queries, readings: reading + 1, error: undefined }
  } catch (error) {
    return { ids, notices, queries, readings: reading + 1, error: error as Error }
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i)
const sorted = (ids: readonly number[]) => [...ids].sort((a, b) => a - b)

/** Lists of `count` rooms, whose readings may repeat rooms and lack others. */
const unstable = fc.integer({ min: 1, max: 40 }).chain((count) =>
  fc.record({
    count: fc.constant(count),
    cap: fc.integer({ min: 2, max: 15 }),
    readings: fc.array(
      fc.array(fc.integer({ min: 0, max: count - 1 }), { minLength: count, maxLength: count }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
    isLastWhole: fc.boolean(),
  }),
)

describe('a list that does not change', () => {
  test('an unchanged list needs one request per page, and one more if the last page is full or the total is round', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 2500 }),
        fc.constantFrom(7, 30, 100, 250, 1000),
        async (count, cap) => {
          const { ids, notices, queries, error } = await readList({
            readings: [upTo(count)],
            cap,
            total: count,
          })
          expect({ ids, notices, error }).toEqual({ ids: upTo(count), notices: [], error: undefined })
          const pages = Math.max(1, Math.ceil(count / cap))
          const last = count - (pages - 1) * cap
          const isConfirmed = isRound(count) || last === (pages === 1 ? 1000 : cap)
          expect(queries).toHaveLength(pages + Number(isConfirmed))
        },
      ),
      { numRuns: sized(12, 60) },
    )
  })

  test('an unchanged list without a total needs one request per page and one more request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 50 }),
        async (count, cap) => {
          const { ids, queries, error } = await readList({ readings: [upTo(count)], cap })
          expect({ ids, error }).toEqual({ ids: upTo(count), error: undefined })
          expect(queries).toHaveLength(Math.ceil(count / cap) + 1)
        },
      ),
      { numRuns: sized(12, 60) },
    )
  })
})

describe('random lists', () => {
  test('a list whose rows differ between readings repeats no row, and is complete or causes an error or notice', async () => {
    await fc.assert(
      fc.asyncProperty(unstable, async ({ count, cap, readings, isLastWhole }) => {
        const all = isLastWhole ? [...readings, upTo(count)] : readings
        const result = await readList({ readings: all, cap, total: count })
        expect(new Set(result.ids).size).toBe(result.ids.length)
        expect(result.readings).toBeLessThanOrEqual(3)
        if (!result.error && result.notices.length === 0) expect(sorted(result.ids)).toEqual(upTo(count))
        // Random rows may look like a service that ignores offsets.
        const isRepeated = result.error?.message.includes('it repeats its response')
        if (isLastWhole && all.length <= 3 && !isRepeated) expect(sorted(result.ids)).toEqual(upTo(count))
      }),
    )
  })

  test('a list whose rows differ between readings is passed to a command that writes only if it is complete', async () => {
    await fc.assert(
      fc.asyncProperty(unstable, async ({ count, cap, readings }) => {
        const { ids, error } = await readList({ readings, cap, total: count }, { mayWrite: true })
        expect(sorted(ids)).toEqual(error ? [] : upTo(count))
      }),
    )
  })

  test('a list without a total is complete if its rows do not change, and otherwise is complete or causes an error', async () => {
    const repeats = fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(repeats, fc.integer({ min: 6, max: 15 }), async (places, cap) => {
        // Odd rows may repeat the previous row.
        const rows = upTo(40).map((i) => (i % 2 === 1 && places.includes((i - 1) / 2) ? i - 1 : i))
        const { ids, error } = await readList({ readings: [rows], cap })
        expect(error).toBeUndefined()
        expect(sorted(ids)).toEqual(sorted([...new Set(rows)]))
        const moving = await readList({ readings: [rows, upTo(40)], cap })
        if (!moving.error) expect(sorted(moving.ids)).toEqual(upTo(40))
      }),
    )
  })
})
