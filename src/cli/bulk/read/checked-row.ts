import type { Body } from '../adapter/adapter.ts'
import { numberOf } from './keys.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

export interface CheckedRow {
  readonly row: Row
  readonly body: Body | undefined
  readonly problem: string | undefined
  readonly trimmed?: readonly string[] | undefined
  /** True when an earlier row has the same key. */
  readonly repeats?: boolean
}

/**
 * Creates a function that rejects rows whose key an earlier row has. Call it with the rows in order.
 * @param suspects hashes of keys that may repeat
 */
export function repeatsRefused(
  keyOf: (checked: CheckedRow) => string | undefined,
  keyName: string,
  suspects: ReadonlySet<number>,
): (checked: CheckedRow) => CheckedRow {
  const first = new Map<string, Row>()
  return (checked) => {
    const key = keyOf(checked)
    if (key === undefined || !suspects.has(numberOf(key))) return checked
    const before = first.get(key)
    if (before) {
      const problem = `the same ${keyName} as ${rowPlace(before)}`
      return { row: checked.row, body: undefined, problem, repeats: true }
    }
    first.set(key, checked.row)
    return checked
  }
}
