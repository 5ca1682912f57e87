import type { Visible } from '../../host.ts'
import type { RowOptions } from './rows.ts'
import { plainText } from './text.ts'
import { cellOf, type Item } from './views.ts'
import { joined, own, visible } from './visible.ts'

const escapes: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r', '\\': '\\\\' }

/** A value as a cell: what would begin another cell or line is written as an escape, as `printf %b` reads it. */
export function tsvCell(value: unknown): string {
  return plainText(value).replace(/[\t\n\r\\]/g, (character) => escapes[character] ?? '')
}

export function tsvLine(values: readonly unknown[]): string {
  return `${values.map(tsvCell).join('\t')}\n`
}

/** Lines of cells with tabs between them, for shells: nothing is quoted, and nothing is made harmless for spreadsheets. */
export function formatTsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: RowOptions,
): string {
  const rows = items.map((item) => fields.map((field) => cellOf(view, field, item)))
  return (header ? [fields, ...rows] : rows).map(tsvLine).join('')
}

/** TSV on a terminal: the tabs between cells are shown as they are. */
export function visibleTsv(text: string): Visible {
  const lines = text.split('\n').map((line) => joined(line.split('\t').map(visible), own`\t`))
  return joined(lines, own`\n`)
}
