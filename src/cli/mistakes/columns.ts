import { findClosest } from '../../api/closest.ts'
import { quoteForShell } from '../../api/quote-for-shell.ts'
import { type Hint, suggest } from '../../errors.ts'
import { describeMapping, type UnknownColumnsError } from '../import/read/unknown-columns.ts'
import { toWordKey } from '../matching/match.ts'
import { columnWords, givenNames, lastNames, lookUp } from './meanings.ts'

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
  if (named && left.delete('name')) maps.push(`${named.map((column) => `{${column}}`).join(' ')}=name`)
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
