import { stringify } from 'csv-stringify/sync'
import { isLosslessNumber, type LosslessNumber } from 'lossless-json'
import { plainText } from '../views/text.ts'
import { cellOf, type Item } from '../views/views.ts'
import type { RowOptions } from './rows.ts'

/** CSV by RFC 4180, with cells that a spreadsheet would run as a formula made harmless. */
export function formatCsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: RowOptions,
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
