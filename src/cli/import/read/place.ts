import type { Row } from './rows.ts'
import type { Source } from './source.ts'

export function formatRowPlace({ line, number }: Row): string {
  return line === undefined ? `row ${number}` : `line ${line}`
}

export function formatInputPlace(source: Source, row: Row): string {
  return row.line === undefined ? `${source.name} ${formatRowPlace(row)}` : `${source.name}:${row.line}`
}
