import { writeJson } from '../../api/json.ts'
import { secretFields } from '../../api/resources.ts'
import { UsageError } from '../../errors.ts'
import type { KnownFields } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import { createBarColumn } from '../output/bars.ts'
import { createPage, type Page } from '../output/views/page.ts'
import { countRow } from '../output/views/rows.ts'
import type { Item, View } from '../output/views/views.ts'
import { completeField, type NamedField, noticeMissingField, parseField } from './field.ts'
import type { FullRecords } from './full-records.ts'
import { createCompare, rankValue } from './order.ts'

/** @param total known number of items; undefined to count the items of the pages */
export async function countItems(
  context: Context,
  pages: AsyncIterable<Page>,
  total: number | undefined,
): Promise<void> {
  let count = total ?? 0
  if (total === undefined) for await (const { items } of pages) count += items.length
  await (await context.printer()).count(count)
}

export class CountBy {
  readonly field: NamedField
  readonly view: View
  readonly #of: View

  /** @throws {UsageError} for a malformed or probably misspelled name, a field with secrets, and `count` */
  constructor(name: string, known: KnownFields) {
    this.field = parseField('--count-by', name, known)
    if (this.field.path.some((part) => secretFields.has(part)))
      throw new UsageError(`--count-by ${name}: tokens cannot be counted`)
    if (name === 'count') throw new UsageError('--count-by count: the result already has a column “count”')
    this.#of = known.view
    this.view = countRow(name)
  }

  async print(
    context: Context,
    pages: AsyncIterable<Page>,
    full: FullRecords | undefined,
    room: string,
  ): Promise<void> {
    const { field, view } = this
    await context.notice(`--count-by reads all ${this.#of.noun[1]}`)
    const counts = new Map<string, { value: Item; count: number }>()
    let all = 0
    let missing = 0
    for await (const page of pages)
      for (const item of await completeField([field], page.items, full, room)) {
        const fieldValue = field.of(item)
        all++
        if (!fieldValue.known) missing++
        // Null is a value, so the row for missing values omits the field.
        const value = fieldValue.known ? { [field.name]: fieldValue.value } : {}
        const key = writeJson(value)
        const counted = counts.get(key)
        if (counted) counted.count++
        else counts.set(key, { value, count: 1 })
      }
    const missed = { missing, all, flag: '--count-by', view: this.#of }
    await noticeMissingField(context, field, missed, ['is counted as empty', 'are counted as empty'])
    const inOrder = createCompare()
    const isMissing = (row: Item) => Number(!Object.hasOwn(row, field.name))
    const rows = [...counts.values()]
      .map(({ value, count }) => ({ row: { ...value, count }, rank: this.#rankOf(value) }))
      .sort(
        (a, b) => b.row.count - a.row.count || inOrder(a.rank, b.rank) || isMissing(a.row) - isMissing(b.row),
      )
      .map(({ row }) => row)
    const printer = await context.printer()
    const shown = createBarColumn(context.host, view, rows)
    const printed = await printer.list(shown, 'counts', createPage({ items: rows }))
    if (printed === 0 && printer.options.format === 'table') await printer.notice(`no ${this.#of.noun[1]}`)
  }

  #rankOf(value: Item) {
    const { name, type } = this.field
    return rankValue(
      Object.hasOwn(value, name) ? { known: true, value: value[name] } : { known: false },
      type,
    )
  }
}
