// Finds rows with the same key without storing the keys: hashes of eight bytes each, sorted at the end. Equal
// hashes are verified in a second pass.

const mostKeys = 1 << 26

export class RowKeys {
  // Resizable, as copying would need three times the memory.
  readonly #buffer = new ArrayBuffer(0, { maxByteLength: mostKeys * 8 })
  readonly #numbers = new Float64Array(this.#buffer)
  #count = 0

  add(key: string): void {
    this.addNumber(numberOf(key))
  }

  addNumber(number: number): void {
    if (this.#count === this.#numbers.length)
      this.#buffer.resize(Math.min(mostKeys, Math.max(1024, this.#count + (this.#count >> 1))) * 8)
    this.#numbers[this.#count++] = number
  }

  /** Creates a lookup for the added hashes. Sorts them, so no more may be added. */
  lookup(): (number: number) => boolean {
    const sorted = this.#numbers.subarray(0, this.#count).sort()
    return (number) => {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((sorted[middle] ?? 0) < number) low = middle + 1
        else high = middle
      }
      return sorted[low] === number
    }
  }

  /** Returns the hashes that were added more than once, and discards all. */
  repeated(): Set<number> {
    const sorted = this.#numbers.subarray(0, this.#count).sort()
    const twice = new Set<number>()
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) twice.add(sorted[i] ?? 0)
    this.#buffer.resize(0)
    return twice
  }
}

export function numberOf(key: string): number {
  let low = 0x811c9dc5
  let high = 0x9747b28c
  for (let i = 0; i < key.length; i++) {
    const code = key.charCodeAt(i)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ (code + i), 0x85ebca6b)
    high ^= high >>> 13
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0)
}
