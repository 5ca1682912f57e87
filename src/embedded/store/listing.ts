import { defaultLimit } from '../../api/vocabulary.ts'
import type { Reads } from './reader.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

/** Counting more rows than this one by one, or stepping over them, is left to another thread. */
const manyRows = 20_000

interface Paging {
  limit?: number | undefined
  offset?: number | undefined
}

interface Listing<Row> {
  table: string
  columns: readonly (string & keyof Row)[]
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

/** Returns the requested page. The defaults of `limit` and `offset` apply (rule 6). */
export function readPaging({ limit = defaultLimit, offset = 0 }: Paging) {
  return { limit, offset }
}

/** One page of a table, newest first, with the total (section 2.6). */
export async function listPage<Row>(store: Store, listing: Listing<Row>) {
  const { table, columns, where, values, counts } = listing
  const { limit, offset } = readPaging(listing.paging)
  if (counts) {
    const { counted, uncounted } = countSome(store, listing, counts)
    const start = offset > uncounted ? blockAt(store, counts, offset - uncounted) : undefined
    const rows = store.list<Row>(
      columns,
      `FROM ${table} ${where}${start ? ' AND seq < ?' : ''} ORDER BY seq DESC LIMIT ? OFFSET ?`,
      ...values,
      ...(start ? [start.before, limit, start.offset] : [limit, offset]),
    )
    return { rows, paging: { limit, offset, total: counted + uncounted } }
  }
  const page = `FROM ${table} ${where} ORDER BY seq DESC LIMIT ? OFFSET ?`
  const some = `SELECT count(*) AS total FROM (SELECT 1 FROM ${table} ${where} LIMIT ${manyRows})`
  const total = store.one<{ total: number }>(some, ...values)?.total ?? 0
  if (total < manyRows)
    return {
      rows: store.list<Row>(columns, page, ...values, limit, offset),
      paging: { limit, offset, total },
    }
  const reads: Reads = store.elsewhere ?? store
  const all = await reads.one<{ total: number }>(`SELECT count(*) AS total FROM ${table} ${where}`, ...values)
  const rows = await reads.all<Row>(`SELECT ${columns} ${page}`, ...values, limit, offset)
  return { rows, paging: { limit, offset, total: all?.total ?? 0 } }
}

/** How many rows there are: those that are counted already, and the others. */
function countSome(store: Store, { table, where, values }: Listing<never>, counts: Counts) {
  const total = store.one<{ counted: number | null; uncounted: number }>(
    `SELECT (SELECT sum(count) FROM ${counts.from} AND block = -1) AS counted,
       (SELECT count(*) FROM ${table} ${where} AND seq >= (SELECT ${counts.upTo} FROM workspace)) AS uncounted`,
    ...counts.values,
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
