import type { Row } from './rows.ts'
import type { Source } from './source.ts'

/** Maximum number of rows with a problem, and of warnings, that are printed. */
export const maxReported = 20

/** Formats the position of a row: `line 12`, or `row 3` without a line number. */
export function formatRowPlace({ line, number }: Pick<Row, 'line' | 'number'>): string {
  return line === undefined ? `row ${number}` : `line ${line}`
}

export function formatInputPlace(source: Source, row: Row): string {
  return row.line === undefined ? `${source.name} ${formatRowPlace(row)}` : `${source.name}:${row.line}`
}
