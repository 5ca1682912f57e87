import { defaultLimit } from '../../api/vocabulary.ts'
import { invalid } from '../faults.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

const maxLimit = 1000

interface Paging {
  limit?: number | undefined
  offset?: number | undefined
}

interface Listing {
  table: string
  /** What follows the table, up to and including WHERE with a condition. */
  where: string
  values: readonly Value[]
  paging: Paging
  counts?: Counts
}

/** Where the rows of a list are counted already: see steps/counts.ts. */
export interface Counts {
  /** What follows SELECT … FROM, up to and including WHERE with a condition. */
  from: string
  values: readonly Value[]
  /** The column of `workspace` that says below which `seq` they are counted. */
  upTo: 'users_counted' | 'rooms_counted'
}

/**
 * What page is asked for. Without `limit` or `offset` the defaults apply (rule 6).
 * @throws {Fault} when `limit` or `offset` is out of range
 */
export function readPaging({ limit = defaultLimit, offset = 0 }: Paging) {
  if (limit < 1 || limit > maxLimit) throw invalid(`limit: expected a number from 1 to ${maxLimit}`)
  if (offset < 0) throw invalid('offset: expected a number from 0')
  return { limit, offset }
}

/**
 * One page of a table, newest first, with the total (section 2.6).
 * @throws {Fault} when `limit` or `offset` is out of range
 */
export function listPage<Row>(store: Store, { table, where, values, paging, counts }: Listing) {
  const { limit, offset } = readPaging(paging)
  const { counted, uncounted } = count(store, `${table} ${where}`, values, counts)
  const start = counts && offset > uncounted ? blockAt(store, counts, offset - uncounted) : undefined
  const rows = store.list<Row>(
    table,
    `${where}${start ? ' AND seq < ?' : ''} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    ...values,
    ...(start ? [start.before, limit, start.offset] : [limit, offset]),
  )
  return { rows, paging: { limit, offset, total: counted + uncounted } }
}

/** How many rows there are: those that are counted already, and the others. */
function count(store: Store, from: string, values: readonly Value[], counts: Counts | undefined) {
  const total = counts
    ? store.one<{ counted: number | null; uncounted: number }>(
        `SELECT (SELECT sum(count) FROM ${counts.from} AND block = -1) AS counted,
           (SELECT count(*) FROM ${from} AND seq >= (SELECT ${counts.upTo} FROM workspace)) AS uncounted`,
        ...counts.values,
        ...values,
      )
    : store.one<{ counted: 0; uncounted: number }>(
        `SELECT 0 AS counted, count(*) AS uncounted FROM ${from}`,
        ...values,
      )
  return { counted: total?.counted ?? 0, uncounted: total?.uncounted ?? 0 }
}

/**
 * The block in which the row at an offset is: skipping whole blocks is quicker than stepping over their rows.
 * @param offset among the rows that are counted
 * @returns the `seq` below which to start, and the offset from there
 */
function blockAt(store: Store, { from, values }: Counts, offset: number) {
  const found = store.one<{ block: number; skipped: number }>(
    `SELECT block, through - count AS skipped FROM (
       SELECT block, sum(count) AS count, sum(sum(count)) OVER (ORDER BY block DESC) AS through
       FROM ${from} AND block >= 0 GROUP BY block
     ) WHERE through > ? ORDER BY block DESC LIMIT 1`,
    ...values,
    offset,
  )
  return found ? { before: (found.block + 1) * 1024, offset: offset - found.skipped } : { before: 0, offset }
}
