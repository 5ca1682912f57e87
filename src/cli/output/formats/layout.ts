import CliTable from 'cli-table3'
import type { Visible } from '../../../host.ts'
import { joinVisible, markVisible, own } from '../terminal/visible.ts'
import { measureText } from '../terminal/width.ts'
import { columnGap } from './fit.ts'

type PaintCell = (text: Visible, column: number) => Visible

type Rows = readonly (readonly Visible[])[]

/** Maximum number of rows that cli-table3 lays out. Its run time is superlinear: 10,000 rows take seconds. */
const maxLibraryRows = 10
/** Maximum number of characters of a cell that cli-table3 lays out. 20,000 wide characters take 40 seconds. */
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

/** Pads cells with spaces. Uses cli-table3 only for rows with a cell that is too wide. */
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
