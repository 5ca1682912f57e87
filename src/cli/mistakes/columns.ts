import { findClosest } from '../../api/closest.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import { type Hint, suggest } from '../../errors.ts'
import {
  describeMapping,
  type MissingColumnError,
  type UnknownColumnsError,
} from '../import/read/unknown-columns.ts'
import { toWordKey } from '../matching/match.ts'
import { columnWords, type FieldByKind, givenNames, lastNames, lookUp } from './meanings.ts'

/** Suggests the fields that the unknown columns of a file probably mean. Returns undefined if there are none. */
export function explainColumns(
  { found: { kind, columns, free } }: UnknownColumnsError,
  words: readonly string[],
  rest: readonly string[],
): Hint | undefined {
  const left = new Set(free)
  const others: string[] = []
  const maps: string[] = []
  const named = joinNames(columns)
  if (named && left.delete('name')) maps.push(`${joinTemplate(named)}=name`)
  for (const column of columns) {
    if (maps.length > 0 && named?.includes(column)) continue
    const field = lookUp(columnWords, fold(column))?.[kind] ?? findClosest(column, [...left])
    if (field !== undefined && left.delete(field)) maps.push(`${column}=${field}`)
    else others.push(column)
  }
  const flags = maps.flatMap((map) => ['--map', map])
  if (maps.length === 0) return undefined
  if (others.length === 0 && rest.length > 0)
    return ['did you mean: ', suggest([...words, ...rest, ...flags])]
  const more = others.length === 0 ? '' : ` Map the others: ${describeMapping(others)}`
  return `did you mean ${flags.map(quoteForShell).join(' ')}?${more}`
}

/** Suggests the column that a flag probably means: one with a similar name, or with a word for the same field. */
export function explainMissingColumn({ column, columns }: MissingColumnError): Hint | undefined {
  const meaning = lookUp(columnWords, fold(column))
  const isMeant = (fields: FieldByKind | undefined) =>
    fields !== undefined && (fields === meaning || fields['user'] === column.toLowerCase())
  const named =
    column.toLowerCase() === 'name' || meaning?.['user'] === 'name' ? joinNames(columns) : undefined
  const meant =
    findClosest(column, columns) ??
    columns.find((each) => isMeant(lookUp(columnWords, fold(each)))) ??
    (named && joinTemplate(named))
  return meant === undefined ? undefined : `did you mean “${meant}”?`
}

const joinTemplate = (columns: readonly string[]) => columns.map((column) => `{${column}}`).join(' ')

/** Returns the columns of the given and the last name; undefined unless there is one of each. */
function joinNames(columns: readonly string[]): [string, string] | undefined {
  const given = columns.find((column) => givenNames.has(fold(column)))
  const last = columns.find((column) => lastNames.has(fold(column)))
  return given === undefined || last === undefined ? undefined : [given, last]
}

/** Ignores letter case, accents, spaces and punctuation. */
const fold = (column: string) =>
  toWordKey(column)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
