import { defaultLimit } from '../../api/vocabulary.ts'
import type { Value } from './sqlite.ts'
import type { Store } from './store.ts'

type Filter = readonly [condition: string, ...values: Value[]]

interface Listing {
  table: string
  filters?: readonly Filter[]
  /** Defaults to newest first. */
  order?: string
  index?: string | undefined
}

interface PageQuery {
  limit?: number | undefined
  offset?: number | undefined
}

/** Lists all rows without `limit` and `offset`, for lists that the API specification does not page. */
export function listPageIfAsked<Row>(store: Store, listing: Listing, query: PageQuery) {
  const { limit, offset } = query
  if (limit === undefined && offset === undefined) return { rows: readRows<Row>(store, listing, -1, 0) }
  return listPage<Row>(store, listing, query)
}

/** Reads one page of a list with the total (API specification, “Paging”, and “Endpoints”, rule 6). */
export function listPage<Row>(
  store: Store,
  listing: Listing,
  { limit = defaultLimit, offset = 0 }: PageQuery,
) {
  const rows = readRows<Row>(store, listing, limit, offset)
  const { filters = [], order } = listing
  const last = rows.at(-1)
  let total: number
  // For a filtered list in the default order, only the rows after the page need counting.
  if (rows.length < limit && (last || offset === 0)) total = offset + rows.length
  else if (last && filters.length > 0 && order === undefined)
    total = offset + rows.length + count(store, { ...listing, filters: [...filters, ['seq < ?', last.seq]] })
  else total = count(store, listing)
  return { rows, paging: { limit, offset, total } }
}

function readRows<Row>(store: Store, listing: Listing, limit: number, offset: number) {
  const { order = 'seq DESC' } = listing
  return store.all<Row & { seq: number }>(
    `SELECT * ${buildSource(listing)} ORDER BY ${order} LIMIT ? OFFSET ?`,
    ...readValues(listing),
    limit,
    offset,
  )
}

function count(store: Store, listing: Listing): number {
  const sql = `SELECT count(*) AS total ${buildSource(listing)}`
  return store.one<{ total: number }>(sql, ...readValues(listing))?.total ?? 0
}

/** Omits the WHERE clause without filters, because SQLite counts a whole table fast only without one. */
function buildSource({ table, filters = [], index }: Listing): string {
  const where = filters.length > 0 ? `WHERE ${filters.map(([condition]) => condition).join(' AND ')}` : ''
  return `FROM ${table} ${index === undefined ? '' : `INDEXED BY ${index}`} ${where}`
}

const readValues = ({ filters = [] }: Listing) => filters.flatMap(([, ...values]) => values)
