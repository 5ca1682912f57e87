import type { Row } from './rows.ts'
import type { Source } from './source.ts'

/** Formats the position of a row: `line 12`, or `row 3` if the input has no lines. */
export function formatRowPlace({ line, number }: Row): string {
  return line === undefined ? `row ${number}` : `line ${line}`
}

/** Formats the position with the name of the input: `people.csv:12`, which editors can open. */
export function formatInputPlace(source: Source, row: Row): string {
  return row.line === undefined ? `${source.name} ${formatRowPlace(row)}` : `${source.name}:${row.line}`
}
