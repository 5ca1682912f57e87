import { toText } from '../../../api/to-text.ts'
import type { Visible } from '../../../host.ts'
import { isObject } from '../../input/assignments.ts'
import { joinVisible, own, visible } from '../terminal/visible.ts'
import { cellOf, type Item } from '../views/views.ts'
import { replaceEach } from './replace-each.ts'
import type { RowOptions } from './rows.ts'

/** The backslash comes first, because the other escapes add backslashes. */
const escapes = [
  ['\\', '\\\\'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
] as const

/** Formats a value as a TSV cell, with the escapes of `printf %b`. */
function tsvCell(value: unknown): string {
  const text = toText(value)
  if (!/[\t\n\r\\]/.test(text)) return text
  return escapes.reduce((escaped, [character, code]) => replaceEach(escaped, character, code), text)
}

export const tsvLine = (values: readonly unknown[]): string => `${values.map(tsvCell).join('\t')}\n`

export function formatTsv(
  items: readonly Item[],
  { view, fields = view.fields, header }: RowOptions,
): string {
  const rows = items.map((item) => fields.map((field) => cellOf(view, field, item)))
  return (header ? [fields, ...rows] : rows).map(tsvLine).join('')
}

export function formatResult(result: unknown): string {
  if (result === null) return ''
  if (!Array.isArray(result)) return isObject(result) ? tsvLine(Object.values(result)) : `${toText(result)}\n`
  const records = result.filter(isObject).filter((value) => !Array.isArray(value))
  // Objects may lack fields, but each column must hold one field.
  const fields = [...new Set(records.flatMap((record) => Object.keys(record)))]
  const cellsOf = (value: unknown) => {
    if (Array.isArray(value)) return value
    return isObject(value) ? fields.map((field) => (value as Item)[field]) : [value]
  }
  return result.map((value) => tsvLine(cellsOf(value))).join('')
}

export function visibleTsv(text: string): Visible {
  const lines = text.split('\n').map((line) => joinVisible(line.split('\t').map(visible), own`\t`))
  return joinVisible(lines, own`\n`)
}
