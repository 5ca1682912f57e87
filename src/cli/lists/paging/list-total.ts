import type { Item } from '../../output/views/views.ts'

/** The total in an answer (API specification, section 2.6); undefined when it has none. */
export function totalOf(body: Item): number | undefined {
  return pagingOf(body, 'total')
}

/** The offset at which an answer says that its items begin; undefined when it does not say. */
export function offsetOf(body: Item): number | undefined {
  return pagingOf(body, 'offset')
}

function pagingOf(body: Item, field: 'total' | 'offset'): number | undefined {
  const value = ((body['paging'] ?? {}) as Item)[field]
  // Some services send numbers as text.
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return Number.isSafeInteger(number) && Number(number) >= 0 ? Number(number) : undefined
}

/** Whether a total is a number at which services stop counting or cut lists off, such as 50, 250 or 10,000. */
export function isRound(total: number | undefined): boolean {
  return total !== undefined && total >= 10 && /^(?:[1235]|25)0*$/.test(String(total))
}

/** The totals that the answers of one list give. */
export class Totals {
  /** The last total that fits the items; undefined when there is none. */
  current: number | undefined
  highest = 0
  /** No answer held more items than its total allows. */
  isCredible = true

  /**
   * Takes note of the total of an answer.
   * @returns by how much it fell since the last one, 0 when it rose; undefined when it is the same or does not count
   */
  observe(total: number | undefined, { end, count }: { end: number; count: number }): number | undefined {
    if (total === undefined) return undefined
    this.highest = Math.max(this.highest, total)
    if (count > 0 && total < end) this.isCredible = false
    if (!this.isCredible) return undefined
    const before = this.current
    this.current = total
    return before === undefined || before === total ? undefined : Math.max(0, before - total)
  }
}
