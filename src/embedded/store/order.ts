import { invalid } from '../common/faults.ts'

/** Order of a list. Rows with the same value are in the order of their `seq`. */
export interface Order {
  column: 'created_at' | 'connected_at' | 'position' | 'seq'
  isDescending: boolean
}

/** Values of a row in the columns of an order. */
type Position = readonly number[]

export const newestFirst: Order = { column: 'seq', isDescending: true }

export const isByTime = ({ column }: Order) => column === 'created_at' || column === 'connected_at'

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

export function formatOrder({ column, isDescending }: Order): string {
  const direction = isDescending ? 'DESC' : 'ASC'
  return column === 'seq' ? `ORDER BY seq ${direction}` : `ORDER BY ${column} ${direction}, seq ${direction}`
}

/** Formats the condition of the rows after a position. */
export function formatAfter({ column, isDescending }: Order): string {
  const sign = isDescending ? '<' : '>'
  return column === 'seq' ? `seq ${sign} ?` : `(${column}, seq) ${sign} (?, ?)`
}

export function startOf({ column, isDescending }: Order): Position {
  const start = isDescending ? Number.MAX_SAFE_INTEGER : Number.MIN_SAFE_INTEGER
  return column === 'seq' ? [start] : [start, start]
}

export function positionOf(row: object & { seq: number }, { column }: Order): Position {
  return column === 'seq' ? [row.seq] : [(row as Record<string, unknown>)[column] as number, row.seq]
}
