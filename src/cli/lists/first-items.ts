import { endpoints } from '../../api/endpoints.ts'
import { readResponseValue } from '../../api/json.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { parseTimestamp } from '../../api/readings.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, PartialError, ServiceError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { type Item, selectView } from '../output/views/views.ts'
import type { ListName } from './paging/list-name.ts'
import { listPagesOf } from './paging/pages-of.ts'
import { proveTotal } from './paging/proven-total.ts'
import type { SortKey } from './sort.ts'

/** First items of a list in the order of a sort key, and some items after them. */
export interface FirstItems {
  pages: readonly Page[]
  /** Proven number of all items; undefined if it is not printed. */
  total: number | undefined
}

interface Selected {
  key: SortKey
  count: number
  pageSize?: number | undefined
}

/** Number of items to read after the requested ones, because items with the same time can be in any order. */
const surplus = 30
/** Number of items of the unsorted list that are compared with the sorted list. */
const sampleSize = 100

/** Returns the only key of `--sort` if some services can sort the list by it. */
export function selectServiceKey(name: ListName, keys: readonly SortKey[]): SortKey | undefined {
  const [key, ...others] = keys
  const field = name === 'listSessions' ? 'connected_at' : 'created_at'
  return others.length === 0 && key?.field.name === field ? key : undefined
}

/**
 * Reads the first items of a list from a service that supports `sort_by`, which the API specification does not define.
 * Returns undefined unless the responses prove that the service sorts; the whole list must then be read.
 */
export async function readFirstItems<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  selected: Selected,
): Promise<FirstItems | undefined> {
  try {
    const reader = new FirstItemsReader(context, await context.client(), name, input, selected)
    return await reader.read()
  } catch (error) {
    // The service may refuse the unknown parameter, or fail because of it.
    if (error instanceof ApiError || error instanceof ServiceError || error instanceof PartialError)
      return undefined
    throw error
  }
}

class FirstItemsReader<N extends ListName> {
  readonly #context: Context
  readonly #client: Client
  readonly #name: N
  readonly #input: Input<Operations[N]>
  readonly #selected: Selected
  readonly #field: string
  readonly #id: string

  constructor(context: Context, client: Client, name: N, input: Input<Operations[N]>, selected: Selected) {
    this.#context = context
    this.#client = client
    this.#name = name
    this.#input = input
    this.#selected = selected
    this.#field = selected.key.field.name
    this.#id = selectView(endpoints[name]).id ?? 'id'
  }

  async read(): Promise<FirstItems | undefined> {
    const [oldest, newest] = await Promise.all([this.#readEnd(false), this.#readEnd(true)])
    if (oldest === undefined || newest === undefined || oldest >= newest) return undefined
    const { key, count, pageSize } = this.#selected
    const limit = count + surplus
    const [sorted, sample] = await Promise.all([
      this.#readPages(this.#orderBy(key.isDescending), limit),
      this.#readPages({}, sampleSize),
    ])
    const items = sorted.flatMap((page) => page.items)
    const isWhole = items.length < limit
    if (!this.#isSorted(items, { oldest, newest })) return undefined
    const last = items[count - 1]
    // The items at the limit may be the wrong ones if all items after them have the same time.
    if (!isWhole && this.#timeOf(items.at(-1)) === this.#timeOf(last)) return undefined
    if (
      this.#isContradicted(
        items,
        isWhole ? undefined : last,
        sample.flatMap((page) => page.items),
      )
    )
      return undefined
    const hasPaging = endpoints[this.#name].paged === true || pageSize !== undefined
    const pages = hasPaging ? sorted : sorted.map(withoutPaging)
    const isTotalPrinted =
      (await this.#context.printer()).printsJson && 'paging' in (pages.at(-1)?.rest ?? {})
    if (!isTotalPrinted) return { pages, total: undefined }
    const { count: total } = await proveTotal(this.#client, this.#name, this.#input)
    return total === undefined ? undefined : { pages, total }
  }

  /** Returns the time of the first item in an order; undefined if there is none. */
  async #readEnd(isDescending: boolean): Promise<number | undefined> {
    const query = { ...this.#query, ...this.#orderBy(isDescending), limit: 1 }
    const answer = await this.#client.call(this.#name, { ...this.#input, query })
    const items = (readResponseValue(answer) as Item)[endpoints[this.#name].result] as readonly Item[]
    return this.#timeOf(items[0])
  }

  async #readPages(order: object, limit: number): Promise<Page[]> {
    const { pageSize } = this.#selected
    const input = { ...this.#input, query: { ...this.#query, ...order } }
    const request = { all: false, limit, pageSize }
    const pages: Page[] = []
    for await (const page of listPagesOf(this.#context, this.#client, this.#name, input, request))
      pages.push(page)
    return pages
  }

  get #query(): object | undefined {
    return (this.#input as { query?: object }).query
  }

  #orderBy(isDescending: boolean): { sort_by: string } {
    return { sort_by: `${isDescending ? '-' : '+'}${this.#field}` }
  }

  #timeOf(item: Item | undefined): number | undefined {
    return parseTimestamp(item?.[this.#field]) ?? undefined
  }

  #isBefore(a: number, b: number): boolean {
    return this.#selected.key.isDescending ? a > b : a < b
  }

  #isSorted(items: readonly Item[], { oldest, newest }: { oldest: number; newest: number }): boolean {
    let before = this.#selected.key.isDescending ? newest : oldest
    for (const [i, item] of items.entries()) {
      const time = this.#timeOf(item)
      // The list may have changed since the oldest and newest times were read.
      if (time === undefined || time < oldest || (i > 0 && this.#isBefore(time, before))) return false
      if (i === 0 && this.#isBefore(before, time)) return false
      before = time
    }
    return items.length > 0
  }

  /** Returns true when the unsorted list has an item that is missing in the sorted one. */
  #isContradicted(items: readonly Item[], last: Item | undefined, sample: readonly Item[]): boolean {
    const ids = new Set(items.map((item) => String(item[this.#id])))
    const end = this.#timeOf(last)
    return sample.some((item) => {
      if (ids.has(String(item[this.#id]))) return false
      const time = this.#timeOf(item)
      return end === undefined || (time === undefined ? !this.#isEmpty(item) : !this.#isBefore(end, time))
    })
  }

  /** Returns true for an item without a time, which comes last in each order. */
  #isEmpty(item: Item): boolean {
    return parseTimestamp(item[this.#field]) === null
  }
}

/** Removes the paging that a service adds because pages were requested. */
function withoutPaging({ rest, ...page }: Page): Page {
  const { paging: _, ...others } = rest ?? {}
  return { ...page, rest: others }
}
