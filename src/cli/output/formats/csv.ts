import { isLosslessNumber } from 'lossless-json'
import { toText } from '../../../api/to-text.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import { formatToSecond } from '../views/time.ts'
import { cellOf, type Item } from '../views/views.ts'
import { replaceEach } from './replace-each.ts'
import type { RowOptions } from './rows.ts'

export interface CsvDialect {
  delimiter?: string | undefined
  /** True to write a byte order mark, without which Excel garbles accented letters; not on a terminal. */
  bom?: boolean
  /** Zone of all times, for a spreadsheet; undefined to print timestamps as received. */
  zone?: TimeZone | undefined
}

export const byteOrderMark = '\ufeff'

/** Formats items as CSV (RFC 4180, except for the delimiter). */
export function formatCsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: RowOptions,
  { delimiter, zone }: CsvDialect = {},
): string {
  const decimal = delimiter === ';' ? ',' : '.'
  const cell = (value: unknown) => escapeFormula(value, decimal)
  const local = (field: string, value: unknown) =>
    zone && typeof value === 'string' ? formatToSecond(field, value, zone) : value
  const rows = items.map((item) => fields.map((field) => cell(local(field, cellOf(view, field, item)))))
  return (header ? [fields.map((field) => cell(field)), ...rows] : rows)
    .map((row) => csvLine(row, delimiter))
    .join('')
}

export function csvLine(cells: readonly string[], delimiter = ','): string {
  return `${cells.map((cell) => quoteCell(cell, delimiter)).join(delimiter)}\r\n`
}

function quoteCell(cell: string, delimiter: string): string {
  return /["\r\n]/.test(cell) || cell.includes(delimiter) ? `"${replaceEach(cell, '"', '""')}"` : cell
}

// Also matches formulas after apostrophes, so that removing one apostrophe reverses the escape.
const formula = /^'*[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/**
 * Escapes text that a spreadsheet may run as a formula.
 * @param decimal decimal separator; some spreadsheets read 1.5 as a date
 */
function escapeFormula(value: unknown, decimal: string): string {
  if (typeof value === 'number' || isLosslessNumber(value)) return String(value).replace('.', decimal)
  const text = toText(value)
  return formula.test(text) ? `'${text}` : text
}
