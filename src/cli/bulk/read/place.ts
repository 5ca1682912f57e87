import type { Row } from './rows.ts'
import type { Source } from './source.ts'

/** Which row of its input it is: `line 12`, or `row 3` where there are no lines. */
export function rowPlace({ line, number }: Row): string {
  return line === undefined ? `row ${number}` : `line ${line}`
}

/** The same with the input: `people.csv:12`, which editors know how to open. */
export function inputPlace(source: Source, row: Row): string {
  return row.line === undefined ? `${source.name} ${rowPlace(row)}` : `${source.name}:${row.line}`
}
