import { stringify } from 'csv-stringify/sync'
import { isLosslessNumber, type LosslessNumber } from 'lossless-json'
import { toText } from '../../../api/to-text.ts'
import { cellOf, type Item } from '../views/views.ts'
import type { RowOptions } from './rows.ts'

/** Formats items as CSV (RFC 4180). Cells that a spreadsheet would run as a formula are escaped. */
export function formatCsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: RowOptions,
): string {
  const rows = items.map((item) => fields.map((field) => toCsvValue(cellOf(view, field, item))))
  return stringify(header ? [fields.map(toCsvValue), ...rows] : rows, {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
    // A negative number is not a formula.
    cast: { number: writeVerbatim, object: writeVerbatim },
  })
}

const writeVerbatim = (value: unknown) => ({ value: String(value), escape_formulas: false })

// Text that already looks like an escaped formula. An additional apostrophe makes the escape reversible.
const escapedFormula = /^'+[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/

/** Keeps numbers as numbers, so that they are not escaped as formulas. */
function toCsvValue(value: unknown): string | number | LosslessNumber {
  if (typeof value === 'number' || isLosslessNumber(value)) return value
  const text = toText(value)
  return escapedFormula.test(text) ? `'${text}` : text
}
