import { stringify } from 'csv-stringify/sync'
import { isLosslessNumber, type LosslessNumber } from 'lossless-json'
import { plainText } from './text.ts'
import { cellOf, fieldOf, type Item, type View } from './views.ts'

interface CsvOptions {
  view: View
  /** Fields to write; what the first page has when not given. */
  fields?: readonly string[] | undefined
  header: boolean
}

/** CSV written page by page: the first page settles the columns. */
export class CsvWriter {
  readonly #options: CsvOptions
  #fields: readonly string[] | undefined
  #known: ReadonlySet<string> | undefined
  readonly #leftOut = new Set<string>()

  constructor(options: CsvOptions) {
    this.#options = options
  }

  /** The lines for these items, the header before the first. */
  page(items: readonly Item[]): string {
    const { view, fields: asked, header } = this.#options
    const isFirst = this.#fields === undefined
    const fields = this.#fields ?? asked ?? columnsOf(view, items)
    this.#fields = fields
    this.#known ??= new Set(fields)
    if (!isFirst && !asked) this.#watch(items, this.#known)
    return formatCsv(items, { view, fields, header: header && isFirst })
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

/** CSV by RFC 4180, with cells that a spreadsheet would run as a formula made harmless. */
export function formatCsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: CsvOptions,
): string {
  const rows = items.map((item) => fields.map((field) => cell(cellOf(view, field, item))))
  return stringify(header ? [fields.map(cell), ...rows] : rows, {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    // A negative number is not a formula.
    cast: { number: verbatim, object: verbatim },
  })
}

const verbatim = (value: unknown) => ({ value: String(value), escape_formulas: false })

// What the guard would make of a formula must not be what somebody wrote: one apostrophe more tells them apart.
const defused = /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** Numbers stay numbers, so that the guard against formulas can tell them from text. */
function cell(value: unknown): string | number | LosslessNumber {
  if (typeof value === 'number' || isLosslessNumber(value)) return value
  const text = plainText(value)
  return defused.test(text) ? `'${text}` : text
}
