import { fieldOf, type Item, type View } from '../views/views.ts'

export interface RowOptions {
  view: View
  /** Fields to write; what the first page has when not given. */
  fields?: readonly string[] | undefined
  header: boolean
}

/** Writes items as lines, a header before them where it is wanted. */
export type FormatRows = (items: readonly Item[], options: RowOptions) => string

/** CSV or TSV written page by page: the first page settles the columns. */
export class RowWriter {
  readonly #options: RowOptions
  readonly #format: FormatRows
  #fields: readonly string[] | undefined
  #known: ReadonlySet<string> | undefined
  readonly #leftOut = new Set<string>()

  constructor(options: RowOptions, format: FormatRows) {
    this.#options = options
    this.#format = format
  }

  /** The lines for these items, the header before the first. */
  page(items: readonly Item[]): string {
    const { view, fields: asked, header } = this.#options
    const isFirst = this.#fields === undefined
    const fields = this.#fields ?? asked ?? columnsOf(view, items)
    this.#fields = fields
    this.#known ??= new Set(fields)
    if (!isFirst && !asked) this.#watch(items, this.#known)
    return this.#format(items, { view, fields, header: header && isFirst })
  }

  /** What is left to write: the header, if there was no item. */
  end(): string {
    return this.#fields ? '' : this.page([])
  }

  /** Fields that only a later page has. */
  get leftOut(): readonly string[] {
    return [...this.#leftOut].sort()
  }

  #watch(items: readonly Item[], known: ReadonlySet<string>): void {
    const { view } = this.#options
    for (const item of items)
      for (const field in item)
        if (!known.has(field) && fieldOf(view, field, item).known) this.#leftOut.add(field)
  }
}

/** The fields that the document lists, then all others that the view keeps or that an item has, by name. */
function columnsOf(view: View, items: readonly Item[]): readonly string[] {
  const sent = items.flatMap((item) => Object.keys(item).filter((field) => fieldOf(view, field, item).known))
  const others = new Set([...(view.kept ?? []), ...sent])
  return [...view.fields, ...[...others].filter((field) => !view.fields.includes(field)).sort()]
}
