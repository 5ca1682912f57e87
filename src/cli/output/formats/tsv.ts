import type { Visible } from '../../../host.ts'
import { isObject } from '../../input/assignments.ts'
import { joined, own, visible } from '../terminal/visible.ts'
import { plainText } from '../views/text.ts'
import { cellOf, type Item } from '../views/views.ts'
import type { RowOptions } from './rows.ts'

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

/**
 * What `--query` selects, as lines: each value of a list on a line of its own, the values of a list or an object in a list
 * as cells. Text alone is printed as it is.
 */
export function formatResult(result: unknown): string {
  if (result === null) return ''
  if (!Array.isArray(result))
    return isObject(result) ? tsvLine(Object.values(result)) : `${plainText(result)}\n`
  const records = result.filter(isObject).filter((value) => !Array.isArray(value))
  // Objects of one list may lack fields: what is below each other must be of the same.
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const cellsOf = (value: unknown) => {
    if (Array.isArray(value)) return value
    return isObject(value) ? fields.map((field) => (value as Item)[field]) : [value]
  }
  return result.map((value) => tsvLine(cellsOf(value))).join('')
}

/** TSV on a terminal: the tabs between cells are shown as they are. */
export function visibleTsv(text: string): Visible {
  const lines = text.split('\n').map((line) => joined(line.split('\t').map(visible), own`\t`))
  return joined(lines, own`\n`)
}
