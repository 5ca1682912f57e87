import CliTable from 'cli-table3'
import { omitUndefined } from '../../../api/defined.ts'
import type { Visible } from '../../../host.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import type { Redact } from '../redaction/redaction.ts'
import type { Style } from '../terminal/style.ts'
import { toAscii } from '../terminal/unicode.ts'
import { joinVisible, markVisible, own, visible } from '../terminal/visible.ts'
import { measureText } from '../terminal/width.ts'
import { createRelativeFormat, type FormatTime, formatToSecond, isTimeField } from '../views/time.ts'
import { type Column, cellOf, colorValue, type Item, type View } from '../views/views.ts'
import { formatCell } from './cell.ts'
import { columnGap, shrinkToFit, truncate } from './fit.ts'

interface TableOptions {
  view: View
  fields?: readonly string[] | undefined
  header: boolean
  style: Style
  /** Width of the terminal, in columns; undefined to disable truncation. */
  width: number | undefined
  /** Base of relative times, in milliseconds since 1970; undefined to print timestamps. */
  now: number | undefined
  /** Zone of timestamps. Disables relative times. Undefined to keep the offsets of timestamps. */
  zone?: TimeZone | undefined
  redact: Redact
  ascii?: boolean
}

/** Writer of a table. The first page determines the columns; later pages can only widen them. */
export class TableWriter {
  readonly #options: TableOptions
  #columns: readonly Column[]
  #widths: number[] = []
  #started = false
  readonly #formatTime: FormatTime | undefined
  omitted: readonly string[] = []

  constructor(options: TableOptions) {
    this.#options = options
    const { now, zone } = options
    this.#formatTime = now === undefined || zone ? undefined : createRelativeFormat(now)
    const { columns } = options.view
    this.#columns =
      options.fields?.map((field) => {
        const { drawing, isWhole } = columns.find((column) => column.field === field) ?? {}
        return { field, weight: 5, ...omitUndefined({ drawing, isWhole }) }
      }) ?? columns
  }

  page(items: readonly Item[]): Visible {
    if (!this.#started) this.#omitUnsent(items)
    const rows = items.map((item) => this.#columns.map((column) => this.#cell(column, item)))
    if (this.#started) return this.#lines(items, rows, layOutByPadding)
    this.#started = true
    const kept = this.#chooseColumns(rows)
    const header = this.#options.header ? this.#header() : own``
    return own`${header}${this.#lines(items, kept, layOutColumns)}`
  }

  #lines(items: readonly Item[], rows: Visible[][], layOutRows: typeof layOutColumns): Visible {
    const mark = this.#options.ascii ? '...' : '…'
    const isCut = this.#options.width !== undefined
    if (!isCut || this.#columns.some(({ isWhole }) => isWhole)) {
      const measured = measureColumns(rows, this.#widths)
      const grows = (i: number) => !isCut || this.#columns[i]?.isWhole
      this.#widths = this.#widths.map((size, i) => (grows(i) ? (measured[i] ?? size) : size))
    }
    const cut = rows.map((row, r) =>
      row.map((cell, i) => {
        const shown = this.#drawn(i, items[r]) ?? cell
        return isCut || shown !== cell ? truncate(shown, this.#widths[i] ?? 0, mark) : shown
      }),
    )
    return layOutRows(cut, this.#widths, (cell, i) => this.#paint(cell, i))
  }

  #omitUnsent(items: readonly Item[]): void {
    const { view, fields } = this.#options
    const isSent = ({ field }: Column) =>
      !view.unlisted?.includes(field) || items.some((item) => Object.hasOwn(item, field))
    if (!fields) this.#columns = this.#columns.filter(isSent)
  }

  #chooseColumns(rows: Visible[][]): Visible[][] {
    const { header, width } = this.#options
    // An empty column needs space, because later pages may have values.
    const minWidths = this.#columns.map((column) => {
      if (column.drawing) return column.drawing.max
      return header ? Math.max(1, measureText(columnTitle(column))) : 1
    })
    const natural = measureColumns(rows, minWidths)
    const columns = this.#columns.map((column, i) => ({
      ...column,
      isEmpty: column.drawing === undefined && rows.every((row) => row[i] === ''),
    }))
    const sizes = width === undefined ? natural : fitColumns(natural, columns, width)
    const fits = (_: unknown, i: number) => sizes[i] !== 0
    this.omitted = this.#columns.filter((_, i) => sizes[i] === 0).map(({ field }) => field)
    this.#columns = this.#columns.filter(fits)
    this.#widths = sizes.filter(fits)
    return rows.map((row) => row.filter(fits))
  }

  #header(): Visible {
    const { style } = this.#options
    const cells = this.#columns.map((column, i) => columnTitle(column, this.#widths[i]))
    const titles = layOutColumns([cells], this.#widths, style.bold)
    const rule = markVisible(
      this.#ruleWidths()
        .map((size) => '─'.repeat(size))
        .join(' '.repeat(columnGap)),
    )
    return own`${titles}${style.dim(rule)}\n`
  }

  /** Returns the widths of the rules, limited to one line where possible. */
  #ruleWidths(): readonly number[] {
    const { width = Number.POSITIVE_INFINITY } = this.#options
    let left = width
    return this.#widths.map((size, i) => {
      const title = measureText(columnTitle(this.#columns[i] as Column, size))
      const rule = this.#columns[i]?.isWhole ? Math.max(title, Math.min(size, left)) : size
      left -= rule + columnGap
      return rule
    })
  }

  #drawn(column: number, item: Item = {}): Visible | undefined {
    const { drawing } = this.#columns[column] ?? {}
    return drawing && visible(drawing.cell(item, this.#widths[column] ?? 0))
  }

  #cell({ field, drawing }: Column, item: Item): Visible {
    if (drawing) return own``
    const { view, redact, ascii, zone } = this.#options
    // Redaction precedes truncation, because part of a secret would not be recognized.
    const text = formatCell(cellOf(view, field, item), redact)
    const ago = isTimeField(field) ? this.#formatTime?.(text) : undefined
    const shown = visible(ago ?? formatToSecond(field, text, zone))
    // Conversion precedes measuring, because some symbols are longer in ASCII.
    return ascii ? toAscii(shown) : shown
  }

  #paint(text: Visible, column: number): Visible {
    return colorValue(this.#columns[column]?.field ?? '', text, this.#options.style)
  }
}

function fitColumns(natural: readonly number[], columns: readonly Column[], width: number): number[] {
  const fitting = columns.flatMap(({ isWhole }, i) => (isWhole ? [] : [i]))
  // The titles of columns that are never truncated must fit on the first line.
  const reserved = columns.filter(({ isWhole }) => isWhole).map((column) => columnTitle(column).length)
  const fitted = shrinkToFit(
    fitting.map((i) => natural[i] ?? 0),
    fitting.map((i) => columns[i] as Column),
    reserved.reduce((left, size) => left - size - columnGap, width),
  )
  return natural.map((size, i) => (columns[i]?.isWhole ? size : (fitted[fitting.indexOf(i)] ?? 0)))
}

function columnTitle({ field, drawing }: Column, width = 0): Visible {
  return visible(drawing?.title?.(width) ?? field.replaceAll('_', ' ').toUpperCase())
}

function measureColumns(rows: readonly Visible[][], minWidths: readonly number[]): number[] {
  return minWidths.map((size, i) => rows.reduce((max, row) => Math.max(max, measureText(row[i] ?? '')), size))
}

type PaintCell = (text: Visible, column: number) => Visible

type Rows = readonly (readonly Visible[])[]

/** Maximum number of rows per call of cli-table3, because 10,000 rows take seconds. */
const maxLibraryRows = 10
/** Maximum number of characters of a cell for cli-table3: 20,000 wide characters take 40 seconds. */
const maxCellLength = 1000
const separator = ' '.repeat(columnGap)

export function layOutColumns(rows: Rows, sizes: readonly number[], paint: PaintCell): Visible {
  const first = rows.slice(0, maxLibraryRows)
  if (first.some(hasLongCell)) return layOutByPadding(rows, sizes, paint)
  return joinVisible([
    layOutByLibrary(first, sizes, paint),
    layOutByPadding(rows.slice(maxLibraryRows), sizes, paint),
  ])
}

const noBorders = Object.fromEntries(
  ['top', 'bottom', 'mid', 'left', 'right'].flatMap((side) =>
    [side, `${side}-mid`, `${side}-left`, `${side}-right`].map((name) => [name, '']),
  ),
)

export function layOutByLibrary(rows: Rows, sizes: readonly number[], paint: PaintCell): Visible {
  if (rows.length === 0) return own``
  const table = new CliTable({
    chars: { ...noBorders, middle: separator },
    colWidths: [...sizes],
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  })
  table.push(...rows.map((row) => row.map(paint)))
  return trimLines(table.toString().split('\n'))
}

/** Avoids cli-table3 where padding is enough or a cell is too long for the library. */
export function layOutByPadding(rows: Rows, sizes: readonly number[], paint: PaintCell): Visible {
  const blanks = (text: Visible, column: number) => (sizes[column] ?? 0) - measureText(text)
  return joinVisible(
    rows.map((row) =>
      !hasLongCell(row) && row.some((text, i) => blanks(text, i) < 0)
        ? layOutByLibrary([row], sizes, paint)
        : trimLines([
            row.map((text, i) => paint(text, i) + ' '.repeat(Math.max(0, blanks(text, i)))).join(separator),
          ]),
    ),
  )
}

function hasLongCell(row: readonly Visible[]): boolean {
  return row.some(({ length }) => length > maxCellLength)
}

function trimLines(texts: readonly string[]): Visible {
  const ended = texts.map((text) => {
    let end = text.length
    while (text[end - 1] === ' ') end--
    return `${text.slice(0, end)}\n`
  })
  return markVisible(ended.join(''))
}
