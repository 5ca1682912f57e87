import { isDeepStrictEqual } from 'node:util'
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
 * Creates a function that rejects repeated keys with other values. It returns undefined for a row that is equal
 * to an earlier row. The rows must be passed in order.
 * @param suspects hashes of keys that may repeat
 */
export function createRepeatCheck(
  keyOf: (checked: CheckedRow) => string | undefined,
  keyName: string,
  suspects: ReadonlySet<number>,
): (checked: CheckedRow) => CheckedRow | undefined {
  const firstRows = new Map<string, CheckedRow>()
  return (checked) => {
    const key = keyOf(checked)
    if (key === undefined || !suspects.has(hashKey(key))) return checked
    const earlier = firstRows.get(key)
    if (earlier) {
      if (isDeepStrictEqual(earlier.body, checked.body)) return undefined
      const problem = `the same ${keyName} as ${formatRowPlace(earlier.row)}`
      return { row: checked.row, body: undefined, problem, isRepeat: true }
    }
    firstRows.set(key, checked)
    return checked
  }
}

const maxKeys = 1 << 26

/** Row keys as hashes of eight bytes each. Different keys can have the same hash. */
export class RowKeys {
  // The buffer is resizable, because copying to a larger buffer would need memory for both buffers.
  readonly #buffer = new ArrayBuffer(0, { maxByteLength: maxKeys * 8 })
  readonly #hashes = new Float64Array(this.#buffer)
  #count = 0

  add(key: string): void {
    if (this.#count === this.#hashes.length)
      this.#buffer.resize(Math.min(maxKeys, Math.max(1024, this.#count + (this.#count >> 1))) * 8)
    this.#hashes[this.#count++] = hashKey(key)
  }

  takeRepeated(): Set<number> {
    const sorted = this.#hashes.subarray(0, this.#count).sort()
    const repeated = new Set<number>()
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) repeated.add(sorted[i] ?? 0)
    this.#buffer.resize(0)
    return repeated
  }
}
