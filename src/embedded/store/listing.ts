import { defaultLimit } from '../../api/vocabulary.ts'
import { invalid } from '../common/faults.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

/** Order of a list. Rows with the same value are in the order of their `seq`. */
export interface Order {
  column: 'created_at' | 'connected_at' | 'position' | 'seq'
  isDescending: boolean
}

const newestFirst: Order = { column: 'seq', isDescending: true }

/**
 * Parses `sort_by`, as in `-created_at`.
 * @throws {Fault} when the list does not have this order
 */
export function parseOrder(
  text: string | undefined,
  column: Order['column'],
  otherwise: Order = newestFirst,
): Order {
  if (text === undefined) return otherwise
  // In a query, a plus sign that is not percent-encoded means a space.
  const isAscending = text === `+${column}` || text === ` ${column}`
  if (!isAscending && text !== `-${column}`)
    throw invalid(`sort_by must be +${column} or -${column}, not “${text}”`)
  return { column, isDescending: !isAscending }
}

type Filter = readonly [condition: string, ...values: Value[]]

interface Listing {
  table: string
  /** Conditions in SQL, which must all hold, with their values. */
  filters?: readonly Filter[]
  order: Order
  /** Index that the query must use. */
  index?: string | undefined
}

/** Reads all rows of a list. */
export function listAll<Row>(store: Store, listing: Listing): Row[] {
  return readRows<Row>(store, listing, -1, 0)
}

/** Reads one page of a list with the total (API specification, section 2.6 and rule 6). */
export function listPage<Row>(
  store: Store,
  listing: Listing,
  { limit = defaultLimit, offset = 0 }: { limit?: number | undefined; offset?: number | undefined },
) {
  const rows = readRows<Row>(store, listing, limit, offset)
  const { filters = [], order } = listing
  const last = rows.at(-1)
  let total: number
  // Rows with filters are read only once: up to the last row of the page, and then counted.
  if (rows.length < limit && (last || offset === 0)) total = offset + rows.length
  else if (last && filters.length > 0)
    total = offset + rows.length + count(store, { ...listing, filters: [...filters, isAfter(last, order)] })
  else total = count(store, listing)
  return { rows, paging: { limit, offset, total } }
}

function readRows<Row>(store: Store, listing: Listing, limit: number, offset: number) {
  const { column, isDescending } = listing.order
  const direction = isDescending ? 'DESC' : 'ASC'
  const first = column === 'seq' ? '' : `${column} ${direction}, `
  return store.all<Row & { seq: number }>(
    `SELECT * ${buildSource(listing)} ORDER BY ${first}seq ${direction} LIMIT ? OFFSET ?`,
    ...[...readValues(listing), limit, offset],
  )
}

function count(store: Store, listing: Listing): number {
  const sql = `SELECT count(*) AS total ${buildSource(listing)}`
  return store.one<{ total: number }>(sql, ...readValues(listing))?.total ?? 0
}

/** Builds the clauses that select the rows. SQLite counts a whole table fast only if there is no WHERE clause. */
function buildSource({ table, filters = [], index }: Listing): string {
  const where = filters.length > 0 ? `WHERE ${filters.map(([condition]) => condition).join(' AND ')}` : ''
  return `FROM ${table} ${index === undefined ? '' : `INDEXED BY ${index}`} ${where}`
}

const readValues = ({ filters = [] }: Listing) => filters.flatMap(([, ...values]) => values)

function isAfter(row: object & { seq: number }, { column, isDescending }: Order): Filter {
  const sign = isDescending ? '<' : '>'
  if (column === 'seq') return [`seq ${sign} ?`, row.seq]
  return [`(${column}, seq) ${sign} (?, ?)`, (row as Record<string, unknown>)[column] as number, row.seq]
}
