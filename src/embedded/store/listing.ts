import { defaultLimit } from '../../api/vocabulary.ts'
import { startTurn, type TurnScheduler } from '../common/turn-scheduler.ts'
import { formatAfter, formatOrder, isByTime, newestFirst, type Order, positionOf, startOf } from './order.ts'
import { ensureOrderIndex, maxRowsToSort, type OrderIndex } from './order-index.ts'
import type { Reads } from './reader.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

/** Maximum number of rows to count or skip in this thread. */
const maxRowsHere = 20_000
/** Maximum number of rows to skip in this thread in a sorted list with a filter, which also has to skip other rows. */
const maxFilteredRowsHere = 1000
/** Number of rows per step of a whole list. */
const stepRows = 500

interface Paging {
  limit?: number | undefined
  offset?: number | undefined
}

interface Selection<Row> {
  table: string
  columns: readonly (string & keyof Row)[]
  where: string
  values: readonly Value[]
  order: Order
  /** Index for sorting many rows by time. */
  orderIndex?: OrderIndex
}

interface Listing<Row> extends Selection<Row> {
  paging: Paging
  counts?: Counts
}

/** Location of a list's stored item counts; see steps/counts.ts. */
export interface Counts {
  /** Table and WHERE clause in SQL; further conditions can be appended. */
  from: string
  values: readonly Value[]
  /** Column of `workspace` that holds the first uncounted `seq`. */
  upTo: 'users_counted' | 'rooms_counted'
}

/** Applies the defaults of `limit` and `offset` (API specification, rule 6). */
export function readPaging({ limit = defaultLimit, offset = 0 }: Paging) {
  return { limit, offset }
}

/** Reads one page of a table with the total (API specification, section 2.6). */
export async function listPage<Row>(store: Store, listing: Listing<Row>) {
  const { table, columns, where, values, counts, order, orderIndex } = listing
  const { limit, offset } = readPaging(listing.paging)
  if (counts) {
    const { counted, uncounted } = countSome(store, listing, counts)
    const total = counted + uncounted
    if (order !== newestFirst) {
      const index = (await prepareOrder(store, listing, total)) ? `INDEXED BY ${orderIndex}` : ''
      const isFar = offset > (values.length > 0 ? maxFilteredRowsHere : maxRowsHere)
      const reads: Reads = (isFar ? store.elsewhere : undefined) ?? store
      const rows = await reads.all<Row>(
        `SELECT ${columns} FROM ${table} ${index} ${where} ${formatOrder(order)} LIMIT ? OFFSET ?`,
        ...[...values, limit, offset],
      )
      return { rows, paging: { limit, offset, total } }
    }
    const start = offset > uncounted ? findBlock(store, counts, offset - uncounted) : undefined
    const rows = store.all<Row>(
      `SELECT ${columns} FROM ${table} ${where}${start ? ' AND seq < ?' : ''} ORDER BY seq DESC LIMIT ? OFFSET ?`,
      ...values,
      ...(start ? [start.before, limit, start.offset] : [limit, offset]),
    )
    return { rows, paging: { limit, offset, total } }
  }
  const page = `SELECT ${columns} FROM ${table} ${where} ${formatOrder(order)} LIMIT ? OFFSET ?`
  const some = `SELECT count(*) AS total FROM (SELECT 1 FROM ${table} ${where} LIMIT ${maxRowsHere})`
  const total = store.one<{ total: number }>(some, ...values)?.total ?? 0
  await prepareOrder(store, listing, total)
  if (total < maxRowsHere)
    return {
      rows: store.all<Row>(page, ...values, limit, offset),
      paging: { limit, offset, total },
    }
  const reads: Reads = store.elsewhere ?? store
  const all = await reads.one<{ total: number }>(`SELECT count(*) AS total FROM ${table} ${where}`, ...values)
  const rows = await reads.all<Row>(page, ...values, limit, offset)
  return { rows, paging: { limit, offset, total: all?.total ?? 0 } }
}

/** Creates the index of a long list. Returns true when the list needs it. */
async function prepareOrder(
  store: Store,
  { order, orderIndex }: Pick<Selection<unknown>, 'order' | 'orderIndex'>,
  total: number,
): Promise<boolean> {
  if (!orderIndex || !isByTime(order) || total <= maxRowsToSort) return false
  await ensureOrderIndex(store, orderIndex)
  return true
}

/** Reads all rows in steps, so that the service can respond to other requests between them. */
export async function listAll<Row extends { seq: number }, Item>(
  store: Store,
  scheduler: TurnScheduler,
  selection: Selection<Row>,
  toItem: (row: Row) => Item,
): Promise<Item[]> {
  const { table, columns, where, values, order } = selection
  const items: Item[] = []
  const turn = startTurn(scheduler)
  const step = `SELECT ${columns} FROM ${table} ${where} AND ${formatAfter(order)} ${formatOrder(order)} LIMIT ${stepRows}`
  for (let position = startOf(order); ; await turn()) {
    const rows = store.all<Row>(step, ...values, ...position)
    for (const row of rows) items.push(toItem(row))
    const last = rows.at(-1)
    if (!last || rows.length < stepRows) return items
    position = positionOf(last, order)
    await prepareOrder(store, selection, items.length)
  }
}

function countSome(store: Store, { table, where, values }: Listing<never>, counts: Counts) {
  const total = store.one<{ counted: number | null; uncounted: number }>(
    `SELECT (SELECT sum(count) FROM ${counts.from} AND block = -1) AS counted,
       (SELECT count(*) FROM ${table} ${where} AND seq >= (SELECT ${counts.upTo} FROM workspace)) AS uncounted`,
    ...counts.values,
    ...values,
  )
  return { counted: total?.counted ?? 0, uncounted: total?.uncounted ?? 0 }
}

/** Finds the block of the row at an offset, because skipping blocks is faster than skipping rows. */
function findBlock(store: Store, { from, values }: Counts, offset: number) {
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
