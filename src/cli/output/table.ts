import CliTable from 'cli-table3'
import type { Visible } from '../../host.ts'
import type { Style } from './style.ts'
import { plainText } from './text.ts'
import { relativeTime } from './time.ts'
import { type Column, cellOf, colourOf, type Item, type View } from './views.ts'
import { composed, joined, own, visible } from './visible.ts'
import { widthOfText } from './width.ts'

export interface TableOptions {
  view: View
  /** Fields to show; the view’s own columns when not given. */
  fields?: readonly string[] | undefined
  header: boolean
  style: Style
  /** Columns of the terminal; undefined shows everything in full. */
  width: number | undefined
  /** For relative times; undefined writes times as they are. */
  now: number | undefined
}

const between = own`  `
const gap = between.length
const narrowest = 4
// cli-table3 grows faster than its rows do: 100 rows take 30 ms, 10,000 take 6.8 s. In chunks it stays linear.
const chunkRows = 100

/** A table written page by page: the first page settles the columns, later ones may only widen them. */
export class TableWriter {
  readonly #options: TableOptions
  #columns: readonly Column[]
  #widths: number[] = []
  #started = false
  /** Fields for which the terminal is too narrow. */
  leftOut: readonly string[] = []

  constructor(options: TableOptions) {
    this.#options = options
    this.#columns = options.fields?.map((field) => ({ field, weight: 5 })) ?? options.view.columns
  }

  /** The lines for these items, the header before the first. */
  page(items: readonly Item[]): Visible {
    const rows = items.map((item) => this.#columns.map((column) => this.#cell(column, item)))
    const text: Visible[] = []
    if (!this.#started) {
      this.#start(rows)
      if (this.#options.header) text.push(this.#header())
      this.#started = true
    }
    if (this.#options.width === undefined) this.#widths = widths(rows, this.#widths)
    for (let from = 0; from < items.length; from += chunkRows) {
      const chunk = rows.slice(from, from + chunkRows).map((row) => {
        return this.#columns.map((column, j) =>
          this.#paint(column, truncate(row[j] ?? own``, this.#widths[j] ?? 0)),
        )
      })
      text.push(layOut(chunk, this.#widths))
    }
    return joined(text)
  }

  #start(rows: Visible[][]): void {
    const titles = this.#options.header ? this.#columns.map(title) : this.#columns.map(() => own``)
    // A column that is blank so far may not stay so.
    const natural = widths(
      rows,
      titles.map((title) => Math.max(1, widthOfText(title))),
    )
    const { width } = this.#options
    const fitted = width === undefined ? natural : shrinkToFit(natural, this.#columns, width)
    // A column that no longer fits goes altogether.
    const kept = fitted.map((size, i) => ({ size, column: this.#columns[i] })).filter(({ size }) => size > 0)
    this.leftOut = this.#columns.filter((_, i) => fitted[i] === 0).map(({ field }) => field)
    const keptColumns = kept.map(({ column }) => column).filter((column) => column !== undefined)
    if (keptColumns.length < this.#columns.length)
      for (const row of rows) row.splice(0, row.length, ...row.filter((_, i) => (fitted[i] ?? 0) > 0))
    this.#columns = keptColumns
    this.#widths = kept.map(({ size }) => size)
  }

  #header(): Visible {
    const { style } = this.#options
    const titles = layOut([this.#columns.map((column) => style.bold(title(column)))], this.#widths)
    const rule = joined(
      this.#widths.map((size) => composed('─'.repeat(size))),
      between,
    )
    return own`${titles}${style.dim(rule)}\n`
  }

  #cell({ field }: Column, item: Item): Visible {
    const { view, now } = this.#options
    const text = plainText(cellOf(view, field, item))
    return visible((now !== undefined && field.endsWith('_at') && relativeTime(text, now)) || text)
  }

  #paint({ field }: Column, text: Visible): Visible {
    return colourOf(field, text, this.#options.style)
  }
}

function title(column: Column): Visible {
  return visible(column.field.replaceAll('_', ' ').toUpperCase())
}

function widths(rows: readonly string[][], least: readonly number[]): number[] {
  return least.map((size, i) => rows.reduce((most, row) => Math.max(most, widthOfText(row[i] ?? '')), size))
}

/**
 * Widths that fit: long columns are cut to something readable, least important first; then the least important
 * columns go, all but the two that matter most; what is left over goes back to what was cut. 0 leaves a column out.
 */
function shrinkToFit(natural: readonly number[], columns: readonly Column[], width: number): number[] {
  const sizes = [...natural]
  const excess = () => sizes.reduce((sum, size) => sum + (size > 0 ? size + gap : 0), -gap) - width
  const leastFirst = columns
    .map((_, i) => i)
    .sort((a, b) => (columns[a]?.weight ?? 0) - (columns[b]?.weight ?? 0))
  const cutTo = (least: number) => {
    for (const i of leastFirst.slice(0, -1)) {
      const size = sizes[i] ?? 0
      if (excess() > 0 && size > least) sizes[i] = Math.max(least, size - excess())
    }
  }
  const drop = (candidates: readonly number[]) => {
    for (const i of candidates) if (excess() > 0) sizes[i] = 0
  }
  cutTo(24)
  cutTo(16)
  drop(leastFirst.slice(0, -2))
  cutTo(narrowest)
  drop(leastFirst.slice(0, -1))
  const last = leastFirst.at(-1)
  if (last !== undefined && excess() > 0) sizes[last] = Math.max(1, width)
  for (const i of leastFirst.toReversed()) {
    const size = sizes[i] ?? 0
    if (size > 0) sizes[i] = Math.min(natural[i] ?? size, size + Math.max(0, -excess()))
  }
  return sizes
}

/** Cuts between graphemes. cli-table3 cuts between code units, and takes quadratic time for it. */
function truncate(text: Visible, width: number): Visible {
  if (text.length <= width && /^[ -~]*$/.test(text)) return text
  if (text.length <= 1000 && widthOfText(text) <= width) return text
  let kept = ''
  let size = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    size += widthOfText(segment)
    // Where a letter is cut off, its joiner joins nothing.
    if (size >= width) return composed(`${kept.replace(/\p{Join_C}$/u, '')}…`)
    kept += segment
  }
  return text
}

const bare = Object.fromEntries(
  ['top', 'bottom', 'mid', 'left', 'right'].flatMap((side) =>
    [side, `${side}-mid`, `${side}-left`, `${side}-right`].map((name) => [name, '']),
  ),
)

function layOut(rows: Visible[][], sizes: readonly number[]): Visible {
  if (rows.length === 0) return own``
  const table = new CliTable({
    chars: { ...bare, middle: between },
    colWidths: [...sizes],
    style: {
      head: [],
      border: [],
      'padding-left': 0,
      'padding-right': 0,
      compact: true,
    },
  })
  table.push(...rows)
  return composed(`${table.toString().replace(/ +$/gm, '')}\n`)
}
