import { UsageError } from '../../../errors.ts'
import { readTimeZone } from '../../calendar/time-zone.ts'
import { fieldsOfList, parseWhere } from '../../filter/where.ts'
import type { Context } from '../../kernel/context.ts'
import type { Item } from '../../output/views/views.ts'
import type { ImportAdapter } from '../adapter/adapter.ts'
import type { Row } from './rows.ts'

/** Predicate for the rows to import. The keys of `fields` are field names, not column names. */
export type RowFilter = (fields: Item) => boolean

const lists = { users: 'listUsers', rooms: 'listRooms', members: 'listMembers' } as const

/**
 * Parses `--where` for rows of a file. An omitted field is empty.
 * @throws {UsageError} for an invalid condition, or a condition on a room metric
 */
export async function createRowFilter(
  context: Context,
  { name, view }: ImportAdapter,
  where: readonly string[] | undefined,
): Promise<RowFilter | undefined> {
  if (where === undefined) return undefined
  const clock = { now: context.host.now(), zone: await readTimeZone(context) }
  const { metrics, fields, matches } = await parseWhere(where, fieldsOfList(lists[name], view), clock)
  const [metric] = metrics
  if (metric !== undefined)
    throw new UsageError(`--where: ${metric} is not a field of a row`, {
      hint: 'use a field of the file in --where',
    })
  const empty = Object.fromEntries(fields.map((field) => [field, null]))
  return (row) => matches({ ...empty, ...row }) === true
}

/** Keeps malformed rows, which are reported later. */
export async function* selectRows(
  batches: AsyncIterable<Row[]>,
  filter: RowFilter,
  fieldOf: (column: string) => string,
  onDropped: () => void,
): AsyncGenerator<Row[]> {
  for await (const rows of batches)
    yield rows.filter(({ fields }) => {
      if (!fields) return true
      const item = Object.fromEntries(
        Object.entries(fields).map(([column, value]) => [fieldOf(column), value]),
      )
      const isSelected = filter(item)
      if (!isSelected) onDropped()
      return isSelected
    })
}
