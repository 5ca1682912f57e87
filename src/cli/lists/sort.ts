import { PartialError, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { completeField, type NamedField, noticeMissingField, parseField } from './field.ts'
import type { FullRecords } from './full-records.ts'
import { markUnreadable, orderValues, rankOf, type SortRank } from './order.ts'
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
      throw new UsageError(`--sort takes names with commas between them, as in type,-name, not “${text}”`)
    return { field: parseField('--sort', name, list, view), isDescending: sign === '-' }
  })
}

interface SortOptions {
  view: View
  keys: readonly SortKey[]
  full: FullRecords | undefined
  room: string
  limit?: number | undefined
  offset?: number | undefined
}

const pageSize = 1000

/**
 * Sorts all items of a list and yields them in pages. Items without a field are completed by their full records,
 * and otherwise sort last.
 * @throws {UsageError} when no item carries an unlisted field
 */
export async function* sortPages(
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
      const complete = await completeField(fields, page.items, full, room)
      // Full records may contain numbers that need exact output.
      plain &&=
        page.items.length === 0 ||
        (page.plain === true && complete.every((item, i) => item === page.items[i]))
      rest = page.rest ?? rest
      for (const item of complete) items.push(item)
    }
  } catch (error) {
    // A partial list is sorted as far as it was read.
    if (!(error instanceof PartialError)) throw error
    partial = error
  }
  for (const field of fields) {
    const missing = items.filter((item) => !markUnreadable(field.of(item), field.type).known).length
    const counts = { missing, all: items.length, flag: '--sort', view }
    await noticeMissingField(context, field, counts, ['comes last', 'come last'])
  }
  const selected = sortItems(items, keys).slice(offset, limit === undefined ? undefined : offset + limit)
  for (let at = 0; at < selected.length; at += pageSize)
    yield { items: selected.slice(at, at + pageSize), plain }
  const paging = { limit: selected.length, offset, ...(partial ? {} : { total: items.length }) }
  yield { items: [], rest: 'paging' in rest ? { ...rest, paging } : rest }
  if (partial) throw partial
}

/** Sorts items; equal items keep their order. */
export function sortItems(items: readonly Item[], keys: readonly SortKey[]): Item[] {
  const orders = keys.map(({ isDescending }, i) => {
    const compare = orderValues(isDescending)
    return (a: Ranked, b: Ranked) => {
      const [left, right] = [a.ranks[i], b.ranks[i]]
      return left && right ? compare(left, right) : 0
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

interface Ranked {
  item: Item
  ranks: readonly SortRank[]
}
