import { stringify } from 'csv-stringify/sync'
import { plainText } from './text.ts'
import { cellOf, type Item, type View } from './views.ts'

/** CSV by RFC 4180, with cells that a spreadsheet would run as a formula made harmless. */
export function formatCsv(
  items: readonly Item[],
  {
    view,
    fields = view.fields,
    header,
  }: { view: View; fields?: readonly string[] | undefined; header: boolean },
): string {
  const rows = items.map((item) => fields.map((field) => plainText(cellOf(view, field, item))))
  return stringify(header ? [[...fields], ...rows] : rows, {
    record_delimiter: '\r\n',
    escape_formulas: true,
  })
}
