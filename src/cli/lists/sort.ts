import { PartialError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { completeField, type NamedField, noticeMissingField, parseField } from './field.ts'
import type { FullRecords } from './full-records.ts'
import { orderValues, type Rank, rankOf, readableAs } from './order.ts'
import type { ListName } from './paging/list-name.ts'

/** One of the fields that items are sorted by. */
export interface SortKey {
  field: NamedField
  isDescending: boolean
}

/**
 * Reads `--sort type,-name`: by one field, then by the next, descending for a hyphen.
 * @throws {UsageError} for a field that looks misspelt
 */
export function parseSort(text: string, list: ListName, view: View): SortKey[] {
  return text.split(',').map((part) => {
    const [, sign = '', name = ''] = /^\s*(-?)(.*?)\s*$/s.exec(part) ?? []
    if (name === '')
      throw new UsageError(`--sort takes names with commas between them, as in type,-name, not “${text}”`)
    return { field: parseField('--sort', name, list, view), isDescending: sign === '-' }
  })
}

interface SortOptions {
  view: View
  keys: readonly SortKey[]
  /** Undefined where a list is all that there is. */
  full: FullRecords | undefined
  /** The room that members are in. */
  room: string
  /** Which of the sorted items to return. */
  limit?: number | undefined
  offset?: number | undefined
}

/** Number of items of a page of what was sorted. */
const pageSize = 1000

/**
 * All items of a list, sorted, page by page. Of an item that does not carry a field, the full record counts; what does not
 * carry it either comes last.
 * @throws {UsageError} when no item carries one of the fields, and it is not known to exist
 */
export async function* sorted(
  context: Context,
  pages: AsyncIterable<Page>,
  { view, keys, full, room, limit, offset = 0 }: SortOptions,
): AsyncGenerator<Page, undefined> {
  await context.notice(`--sort reads all ${view.noun[1]} first`)
  const fields = keys.map(({ field }) => field)
  const items: Item[] = []
  let plain = true
  let rest: Item = {}
  let partial: PartialError | undefined
  try {
    for await (const page of pages) {
      const told = await completeField(fields, page.items, full, room)
      // A full record may hold numbers that need care.
      plain &&=
        page.items.length === 0 || (page.plain === true && told.every((item, i) => item === page.items[i]))
      rest = page.rest ?? rest
      for (const item of told) items.push(item)
    }
  } catch (error) {
    // What could be read is sorted even so.
    if (!(error instanceof PartialError)) throw error
    partial = error
  }
  for (const field of fields) {
    const missing = items.filter((item) => !readableAs(field.of(item), field.type).known).length
    const counts = { missing, all: items.length, flag: '--sort', view }
    await noticeMissingField(context, field, counts, ['comes last', 'come last'])
  }
  const wanted = sortItems(items, keys).slice(offset, limit === undefined ? undefined : offset + limit)
  for (let at = 0; at < wanted.length; at += pageSize) yield { items: wanted.slice(at, at + pageSize), plain }
  const paging = { limit: wanted.length, offset, ...(partial ? {} : { total: items.length }) }
  yield { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  if (partial) throw partial
}

/** The items in order; those that are equal stay in theirs. */
export function sortItems(items: readonly Item[], keys: readonly SortKey[]): Item[] {
  const orders = keys.map(({ isDescending }, i) => {
    const compare = orderValues(isDescending)
    return (a: Ranked, b: Ranked) => {
      const [one, other] = [a.ranks[i], b.ranks[i]]
      return one && other ? compare(one, other) : 0
    }
  })
  const ranked = items.map((item) => ({
    item,
    ranks: keys.map(({ field }) => rankOf(field.of(item), field.type)),
  }))
  ranked.sort((a, b) => {
    for (const order of orders) {
      const found = order(a, b)
      if (found !== 0) return found
    }
    return 0
  })
  return ranked.map(({ item }) => item)
}

/** An item with what it is compared by, one rank for each key. */
interface Ranked {
  item: Item
  ranks: readonly Rank[]
}
