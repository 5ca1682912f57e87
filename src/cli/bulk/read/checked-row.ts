import type { Body } from '../adapter/adapter.ts'
import { numberOf } from './keys.ts'
import { rowPlace } from './place.ts'
import type { Row } from './rows.ts'

/** A row with what is to be sent, or why it cannot be. */
export interface CheckedRow {
  readonly row: Row
  /** Undefined when the row cannot be sent. */
  readonly body: Body | undefined
  readonly problem: string | undefined
  /** The fields of values that had white space around them. */
  readonly trimmed?: readonly string[] | undefined
  /** The problem is that an earlier row has the same key. */
  readonly repeats?: boolean
}

/**
 * Creates the function that refuses rows whose key an earlier one has. It is given the rows in their order.
 * @param suspects numbers of keys that may repeat
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
