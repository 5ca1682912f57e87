import { omitUndefined } from '../../api/defined.ts'
import { PartialError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { completeField, type NamedField, noticeMissingField, parseField } from './field.ts'
import type { FullRecords } from './full-records.ts'
import { createCompare, rankValue, type SortRank } from './order.ts'
import type { ListName } from './paging/list-name.ts'

export interface SortKey {
  field: NamedField
  isDescending: boolean
}

/**
 * Parses `--sort type,-name`: several fields, with a hyphen for descending order.
 * @throws {UsageError} for a field that looks misspelled
 */
export function parseSort(text: string, list: ListName, view: View): SortKey[] {
  return text.split(',').map((part) => {
    const [, sign = '', name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(part) ?? []
    if (name === '')
      throw new UsageError(
        `--sort must be field names separated by commas, such as type,-name, not “${text}”`,
      )
    return { field: parseField('--sort', name, list, view), isDescending: sign === '-' }
  })
}

/** Adds the ID to a key, so that the order of items with the same value does not depend on the service. */
export function breakTies(key: SortKey, list: ListName, view: View): SortKey[] {
  const { isDescending } = key
  return [key, { field: parseField('--sort', view.id ?? 'id', list, view), isDescending }]
}

interface SortOptions {
  view: View
  keys: readonly SortKey[]
  full?: FullRecords | undefined
  /** Set if the pages contain only the first items. `total` is undefined if it is not printed. */
  first?: { total: number | undefined }
  room: string
  limit?: number | undefined
  offset?: number | undefined
}

const pageSize = 1000
const manyItems = 200_000

/**
 * Sorts the items of a list and yields them in pages. With a limit, only the items that may be among the first are kept.
 * Items without a field are completed by their full records, and otherwise sort last.
 * @throws {UsageError} when all items lack an unknown field
 */
export async function* sortPages(
  context: Context,
  pages: AsyncIterable<Page> | Iterable<Page>,
  { view, keys, full, first, room, limit = Infinity, offset = 0 }: SortOptions,
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
      plain &&=
        page.items.length === 0 ||
        (page.plain === true && complete.every((item, i) => item === page.items[i]))
      rest = page.rest ?? rest
      const before = sorter.count
      for (const item of complete) sorter.add(item)
      if (limit === Infinity && before <= manyItems && sorter.count > manyItems)
        await context.notice(
          `--sort holds all ${view.noun[1]} in memory, and there are more than ${manyItems}; --limit needs less`,
        )
    }
  } catch (error) {
    // A partial list is sorted as far as it was read.
    if (!(error instanceof PartialError)) throw error
    partial = error
  }
  for (const [i, field] of fields.entries()) {
    const counts = { missing: sorter.missing[i] ?? 0, all: sorter.count, flag: '--sort', view }
    await noticeMissingField(context, field, counts, ['comes last', 'come last'])
  }
  const selected = sorter.sorted().slice(offset)
  for (let at = 0; at < selected.length; at += pageSize)
    yield { items: selected.slice(at, at + pageSize), plain }
  const total = partial ? undefined : first ? first.total : sorter.count
  const paging = { limit: selected.length, offset, ...omitUndefined({ total }) }
  yield { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  if (partial) throw partial
}

interface Ranked {
  item: Item
  ranks: readonly SortRank[]
}

const minSurplus = 1000

/** Stable sorter of items, which holds at most `surplus` more items than the limit. */
export class ItemSorter {
  readonly #keys: readonly SortKey[]
  readonly #limit: number
  readonly #surplus: number
  readonly #compare: (a: Ranked, b: Ranked) => number
  #items: Ranked[] = []
  /** Last item within the limit. A new item that does not sort before it is discarded. */
  #last: Ranked | undefined
  #count = 0
  readonly missing: number[]

  /** @param surplus number of items above the limit that are collected before they are sorted */
  constructor(keys: readonly SortKey[], limit = Infinity, surplus = Math.max(limit / 8, minSurplus)) {
    this.#keys = keys
    this.#limit = limit
    this.#surplus = surplus
    this.missing = keys.map(() => 0)
    const orders = keys.map(({ isDescending }) => createCompare(isDescending))
    this.#compare = (a, b) => {
      let order = 0
      for (let i = 0; order === 0 && i < orders.length; i++) {
        const left = a.ranks[i]
        const right = b.ranks[i]
        if (left && right) order = orders[i]?.(left, right) ?? 0
      }
      return order
    }
  }

  get count(): number {
    return this.#count
  }

  add(item: Item): void {
    this.#count++
    const ranks = this.#keys.map(({ field }, i) => {
      const rank = rankValue(field.of(item), field.type)
      if (!rank.isKnown) this.missing[i] = (this.missing[i] ?? 0) + 1
      return rank
    })
    const ranked = { item, ranks }
    if (this.#last && this.#compare(ranked, this.#last) >= 0) return
    this.#items.push(ranked)
    if (this.#items.length >= this.#limit + this.#surplus) this.#select()
  }

  #select(): void {
    this.#items.sort(this.#compare)
    if (this.#items.length <= this.#limit) return
    this.#items.length = this.#limit
    this.#last = this.#items.at(-1)
  }

  sorted(): Item[] {
    this.#select()
    return this.#items.map(({ item }) => item)
  }
}
