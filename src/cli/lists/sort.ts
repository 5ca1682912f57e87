import { omitUndefined } from '../../api/defined.ts'
import { PartialError, UsageError } from '../../errors.ts'
import type { KnownFields } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { completeField, type NamedField, noticeMissingField, parseField } from './field.ts'
import type { FullRecords } from './full-records.ts'
import { createCompare, rankValue, type SortRank } from './order.ts'
import { defaultPageSize } from './paging/page-size.ts'

export interface SortKey {
  field: NamedField
  isDescending: boolean
}

/**
 * Parses fields such as `type,-name`; a hyphen means descending order.
 * @throws {UsageError} for malformed text, and for a field that looks misspelled
 */
export function parseSort(text: string, known: KnownFields): SortKey[] {
  const meant = text.replace(/([\w.]+)\s*[\s,:=]\s*(asc|desc)\w*\b/gi, (_, name, order) =>
    /^d/i.test(order) ? `-${name}` : name,
  )
  if (meant !== text && !/(^|,)-?(asc|desc)\w*(,|$)/i.test(meant))
    throw new UsageError(`--sort: a minus sign before a field means descending, not “${text}”`, {
      correction: [text, meant],
    })
  const fields = [...known.types.keys()]
  const separated = text.split(/\s*[;\s]\s*/)
  if (
    separated.length > 1 &&
    !text.includes(',') &&
    separated.every((part) => fields.includes(part.replace(/^-/, '')))
  )
    throw new UsageError(`--sort must be field names separated by commas, not “${text}”`, {
      correction: [text, separated.join(',')],
    })
  return text.split(',').map((part) => {
    const [, sign = '', name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(part) ?? []
    if (name === '')
      throw new UsageError(
        `--sort must be field names separated by commas, such as type,-name, not “${text}”`,
      )
    return { field: parseField('--sort', name, known, text), isDescending: sign === '-' }
  })
}

interface SortOptions {
  view: View
  keys: readonly SortKey[]
  full?: FullRecords | undefined
  room: string
  limit?: number | undefined
  offset?: number | undefined
}

const manyItems = 200_000

/**
 * Yields the sorted items in pages. Missing and null values sort last.
 * @throws {UsageError} for an unknown field that no item of a nonempty list has
 * @throws {PartialError} at the end, if the list is partial
 */
export async function* sortPages(
  context: Context,
  pages: AsyncIterable<Page>,
  { view, keys, full, room, limit = Infinity, offset = 0 }: SortOptions,
): AsyncGenerator<Page, undefined> {
  const fields = keys.map(({ field }) => field)
  const sorter = new ItemSorter(keys, offset + limit)
  let plain = true
  let rest: Item = {}
  let partial: PartialError | undefined
  try {
    for await (const page of pages) {
      const complete = await completeField(fields, page.items, full, room)
      // Full records may contain numbers that need lossless output.
      const isPlain = page.plain === true && complete.every((item, i) => item === page.items[i])
      plain &&= page.items.length === 0 || isPlain
      rest = page.rest ?? rest
      const before = sorter.count
      for (const item of complete) sorter.add(item)
      if (limit === Infinity && before <= manyItems && sorter.count > manyItems)
        await context.notice(
          `--sort holds all ${view.noun[1]} in memory, and there are more than ${manyItems}; --limit needs less memory`,
        )
    }
  } catch (error) {
    // The items of a partial list are still sorted and printed.
    if (!(error instanceof PartialError) || sorter.count === 0) throw error
    partial = error
  }
  for (const [i, field] of fields.entries()) {
    const counts = { missing: sorter.missing[i] ?? 0, all: sorter.count, flag: '--sort', view }
    await noticeMissingField(context, field, counts, ['comes last', 'come last'])
  }
  const end = sorter.sort()
  for (let at = offset; at < end; at += defaultPageSize)
    yield { items: sorter.slice(at, at + defaultPageSize), plain }
  const total = partial ? undefined : sorter.count
  const paging = { limit: Math.max(0, end - offset), offset, ...omitUndefined({ total }) }
  yield { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  if (partial) throw partial
}

const minSurplus = 1000

interface HeldItem {
  item: Item
  /** Ranks of the values, in the order of the sort keys. */
  ranks: readonly SortRank[]
}

/** Stable sorter of items. Holds at most `surplus` items above the limit. */
export class ItemSorter {
  readonly #limit: number
  readonly #surplus: number
  readonly #fields: readonly NamedField[]
  readonly #compares: readonly ReturnType<typeof createCompare>[]
  /** Held items. Items added since the last sort are unsorted at the end. */
  #held: HeldItem[] = []
  /** Last item within the limit. Only new items that sort before this item are kept. */
  #last: HeldItem | undefined
  count = 0
  readonly missing: number[]

  /** @param surplus number of items above the limit that triggers a sort */
  constructor(keys: readonly SortKey[], limit = Infinity, surplus = Math.max(limit / 2, minSurplus)) {
    this.#limit = limit
    this.#surplus = surplus
    this.missing = keys.map(() => 0)
    this.#fields = keys.map(({ field }) => field)
    this.#compares = keys.map(({ isDescending }) => createCompare(isDescending))
  }

  add(item: Item): void {
    this.count++
    const ranks = this.#fields.map((field) => rankValue(field.of(item), field.type))
    for (const [i, { isKnown }] of ranks.entries()) if (!isKnown) this.missing[i] = (this.missing[i] ?? 0) + 1
    const added = { item, ranks }
    if (this.#last !== undefined && this.#compare(added, this.#last) >= 0) return
    this.#held.push(added)
    if (this.#held.length >= this.#limit + this.#surplus) this.sort()
  }

  /** @returns number of remaining items */
  sort(): number {
    this.#held.sort((a, b) => this.#compare(a, b))
    if (this.#held.length > this.#limit) {
      this.#held.length = this.#limit
      this.#last = this.#held.at(-1)
    }
    return this.#held.length
  }

  slice(start: number, end: number): Item[] {
    return this.#held.slice(start, end).map(({ item }) => item)
  }

  #compare(a: HeldItem, b: HeldItem): number {
    for (const [i, compare] of this.#compares.entries()) {
      const [rankA, rankB] = [a.ranks[i], b.ranks[i]]
      const order = rankA && rankB ? compare(rankA, rankB) : 0
      if (order !== 0) return order
    }
    return 0
  }
}
