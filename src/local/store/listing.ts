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
  /** What follows SELECT … FROM, up to and including WHERE with a condition. */
  from: string
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
export function listPage<Row>(store: Store, { from, values, paging, counts }: Listing) {
  const { limit, offset } = readPaging(paging)
  const newest = counts ? `${from} AND seq >= (SELECT ${counts.upTo} FROM workspace)` : from
  const uncounted = count(store, `SELECT count(*) AS total FROM ${newest}`, values)
  const counted = counts
    ? count(store, `SELECT sum(count) AS total FROM ${counts.from} AND block = -1`, counts.values)
    : 0
  const start = counts && offset > uncounted ? blockAt(store, counts, offset - uncounted) : undefined
  const rows = store.all<Row>(
    `SELECT * FROM ${from}${start ? ' AND seq < ?' : ''} ORDER BY seq DESC LIMIT ? OFFSET ?`,
    ...values,
    ...(start ? [start.before, limit, start.offset] : [limit, offset]),
  )
  return { rows, paging: { limit, offset, total: counted + uncounted } }
}

function count(store: Store, sql: string, values: readonly Value[]): number {
  return store.one<{ total: number | null }>(sql, ...values)?.total ?? 0
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
