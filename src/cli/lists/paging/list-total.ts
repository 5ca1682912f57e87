import type { Item } from '../../output/views/views.ts'

/** Reads the total of a response (API specification, “Paging”); undefined if missing or invalid. */
export const readTotal = (body: Item): number | undefined => readPaging(body, 'total')

export const readOffset = (body: Item): number | undefined => readPaging(body, 'offset')

function readPaging(body: Item, field: 'total' | 'offset'): number | undefined {
  const value = ((body['paging'] ?? {}) as Item)[field]
  // Some services send numbers as text.
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined
}

/** Returns true for round totals, at which some services stop counting. */
export function isRound(total: number | undefined): boolean {
  return total !== undefined && total >= 10 && /^(?:[1235]|25)0*$/.test(String(total))
}
