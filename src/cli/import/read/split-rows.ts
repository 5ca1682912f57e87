import { UsageError } from '../../../errors.ts'
import type { Row } from './rows.ts'

export function parseSeparator(text: string): string {
  if (text === '') throw new UsageError("--split must be a separator, such as ', '")
  return text.replaceAll('\\n', '\n')
}

/** Splits a cell. A separator with letters must match exactly, including spaces. */
export function splitCell(cell: string, separator: string): string[] {
  const mark = /\p{L}/u.test(separator) ? separator : separator.trim() || separator
  return cell
    .split(mark)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Patterns of lists. Items of the second pattern contain a letter, because numbers may be years. */
const lists = [
  { separator: /[,;|] ?/, part: /^(?=.{1,12}$)(?:.*\d|.{1,3}$)/ },
  { separator: / ?[/&+] ?|\n| \p{L}{1,3} /u, part: /^(?=.{1,12}$)(?=.*\p{L})(?:.*\d|.{1,3}$)/u },
]

/** Describes a cell such as `7a, 7b`, which probably lists several rooms. */
export function describeListCell(cell: string): string | undefined {
  const list = lists.find(({ separator, part }) => {
    const parts = cell.split(separator)
    return parts.length > 1 && parts.every((text) => part.test(text.trim()))
  })
  const [separator] = list?.separator.exec(cell) ?? []
  if (separator === undefined) return undefined
  return `“${cell}” looks like a list; --split '${separator.replaceAll('\n', '\\n')}' splits it into items`
}

interface RowSplit {
  separator: string
  isSplit: (column: string) => boolean
  /** Returns the columns of a CSV; undefined for other formats. */
  header: () => readonly string[] | undefined
}

/** Divides rows whose cell lists several items, and renumbers all rows. */
export async function* splitRows(batches: AsyncIterable<Row[]>, split: RowSplit): AsyncGenerator<Row[]> {
  let number = 0
  for await (const rows of batches)
    yield rows.flatMap((row) => splitRow(row, split).map((part) => ({ ...part, number: ++number })))
}

function splitRow(row: Row, { separator, isSplit, header }: RowSplit): readonly Row[] {
  const { fields, cells } = row
  if (!fields) return [row]
  const columns = header() ?? Object.keys(fields)
  const index = columns.findIndex(isSplit)
  const column = columns[index] ?? ''
  const cell = fields[column]
  const parts = typeof cell === 'string' ? splitCell(cell, separator) : []
  if (parts.length < 2) return [row]
  return parts.map((part) => ({
    ...row,
    fields: { ...fields, [column]: part },
    ...(cells && { cells: cells.with(index, part) }),
  }))
}
