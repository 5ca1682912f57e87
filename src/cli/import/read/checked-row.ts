import { hashKey } from '../../../hash.ts'
import type { RequestBody } from '../adapter/adapter.ts'
import { formatRowPlace } from './place.ts'
import type { Row } from './rows.ts'

export interface CheckedRow {
  readonly row: Row
  readonly body: RequestBody | undefined
  readonly problem: string | undefined
  readonly trimmed?: readonly string[] | undefined
  readonly isRepeat?: boolean
}

/**
 * Creates a function that rejects repeated keys. The rows must be passed in order.
 * @param suspects hashes of keys that may repeat
 */
export function createRepeatCheck(
  keyOf: (checked: CheckedRow) => string | undefined,
  keyName: string,
  suspects: ReadonlySet<number>,
): (checked: CheckedRow) => CheckedRow {
  const firstRows = new Map<string, Row>()
  return (checked) => {
    const key = keyOf(checked)
    if (key === undefined || !suspects.has(hashKey(key))) return checked
    const earlier = firstRows.get(key)
    if (earlier) {
      const problem = `the same ${keyName} as ${formatRowPlace(earlier)}`
      return { row: checked.row, body: undefined, problem, isRepeat: true }
    }
    firstRows.set(key, checked.row)
    return checked
  }
}
