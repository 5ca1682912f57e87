import { listNames } from '../../../api/plural.ts'
import { type Item, readField, type View } from '../views/views.ts'

export interface RowOptions {
  view: View
  fields?: readonly string[] | undefined
  header: boolean
}

/** Maximum number of columns without `--columns`, because each item may have unique fields. */
const maxColumns = 300
const maxNamed = 20

/** Writer of CSV or TSV. By default, the first page determines the columns. */
export class RowWriter {
  #fields: readonly string[] | undefined
  #known: ReadonlySet<string> | undefined
  readonly #omitted = new Set<string>()
  readonly #options: RowOptions
  readonly #format: (items: readonly Item[], options: RowOptions) => string

  constructor(options: RowOptions, format: (items: readonly Item[], options: RowOptions) => string) {
    this.#options = options
    this.#format = format
  }

  page(items: readonly Item[]): string {
    const { view, fields: requested, header } = this.#options
    const isFirst = this.#fields === undefined
    const fields = this.#fields ?? requested ?? listColumns(view, items).slice(0, maxColumns)
    this.#fields = fields
    this.#known ??= new Set(fields)
    if (!requested) this.#recordUnknownFields(items, this.#known)
    return this.#format(items, { view, fields, header: header && isFirst })
  }

  end(): string {
    return this.#fields ? '' : this.page([])
  }

  describeOmitted(): string | undefined {
    const names = [...this.#omitted].sort()
    if (names.length === 0) return undefined
    const isFull = (this.#fields?.length ?? 0) >= maxColumns
    const reason = isFull
      ? `there are more than ${maxColumns} columns`
      : 'the first response does not contain them'
    return `fields omitted, because ${reason}: ${listNames(names, maxNamed)}; -o ndjson includes them`
  }

  #recordUnknownFields(items: readonly Item[], known: ReadonlySet<string>): void {
    const { view } = this.#options
    for (const item of items)
      for (const field of listSentFields(view, item)) if (!known.has(field)) this.#omitted.add(field)
  }
}

function listColumns(view: View, items: readonly Item[]): readonly string[] {
  const sent = items.flatMap((item) => listSentFields(view, item))
  const others = new Set([...(view.alwaysShown ?? []), ...sent])
  return [...view.fields, ...[...others].filter((field) => !view.fields.includes(field)).sort()]
}

function listSentFields(view: View, item: Item): readonly string[] {
  return Object.keys(item).filter(
    (field) => readField(view, field, item).known && !view.onRequest?.includes(field),
  )
}
