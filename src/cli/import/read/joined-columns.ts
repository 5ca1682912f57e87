import { toText } from '../../../api/to-text.ts'
import { fillPlaceholders, listPlaceholders } from '../../input/placeholders.ts'
import { trimWhiteSpace } from '../../input/white-space.ts'
import type { Item } from '../../output/views/views.ts'
import type { Row } from './rows.ts'

/**
 * Fills a template of columns, such as `{First name} {Last name}`.
 * @returns an empty text if all values are empty
 * @throws {UsageError} for an unbalanced brace
 */
function joinColumns(template: string, readValue: (column: string) => unknown): string {
  let [filled, empty] = [0, 0]
  const text = fillPlaceholders(
    template,
    (column) => {
      const value = trimWhiteSpace(toText(readValue(column)))
      value === '' ? empty++ : filled++
      return value
    },
    'in a template of columns',
  )
  if (filled === 0) return ''
  return empty === 0 ? text : text.replaceAll(/\s+/g, ' ').trim()
}

/** Returns the columns of a template. Text without placeholders is itself a column. */
export function listParts(column: string): string[] {
  const parts = listPlaceholders(column)
  return parts.length === 0 ? [column] : parts
}

export async function* joinRows(
  batches: AsyncIterable<Row[]>,
  join: (fields: Item) => Item,
): AsyncGenerator<Row[]> {
  for await (const rows of batches)
    yield rows.map((row) =>
      row.fields ? { ...row, fields: join(row.fields), ...(row.cells ? {} : { given: row.fields }) } : row,
    )
}

/** Maximum number of cached column names. JSON objects can have any number of keys. */
const maxFolded = 10_000

/** Creates a function that adds joined columns to a row; undefined without templates. */
export function createJoin(
  columns: Iterable<string>,
  fold: (column: string) => string,
): ((fields: Item) => Item) | undefined {
  const templates = [...columns].filter((column) => listPlaceholders(column).length > 0)
  if (templates.length === 0) return undefined
  // Folded names are cached, because folding takes longer than joining.
  const folded = new Map<string, string>()
  const foldOnce = (column: string) => {
    const known = folded.get(column) ?? fold(column)
    if (folded.size < maxFolded) folded.set(column, known)
    return known
  }
  return (fields) => {
    const values = new Map<string, unknown>()
    for (const column of Object.keys(fields)) values.set(foldOnce(column), fields[column])
    const joined: Record<string, unknown> = { ...fields }
    for (const template of templates)
      if (!values.has(foldOnce(template)))
        joined[template] = joinColumns(template.trim(), (column) => values.get(foldOnce(column)))
    return joined
  }
}
