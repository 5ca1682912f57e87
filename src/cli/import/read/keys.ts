import { hashKey } from '../../../hash.ts'

const maxKeys = 1 << 26

/** Row keys as hashes of eight bytes each. Different keys can have the same hash. */
export class RowKeys {
  // The buffer is resizable, because copying to a larger buffer would need memory for both buffers.
  readonly #buffer = new ArrayBuffer(0, { maxByteLength: maxKeys * 8 })
  readonly #hashes = new Float64Array(this.#buffer)
  #count = 0

  add(key: string): void {
    this.addHash(hashKey(key))
  }

  addHash(hash: number): void {
    if (this.#count === this.#hashes.length)
      this.#buffer.resize(Math.min(maxKeys, Math.max(1024, this.#count + (this.#count >> 1))) * 8)
    this.#hashes[this.#count++] = hash
  }

  /** Returns a test for stored hashes. No hash may be added afterwards. */
  lookup(): (hash: number) => boolean {
    const sorted = this.#hashes.subarray(0, this.#count).sort()
    return (hash) => {
      let low = 0
      let high = sorted.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((sorted[middle] ?? 0) < hash) low = middle + 1
        else high = middle
      }
      return sorted[low] === hash
    }
  }

  takeRepeated(): Set<number> {
    const sorted = this.#hashes.subarray(0, this.#count).sort()
    const repeated = new Set<number>()
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) repeated.add(sorted[i] ?? 0)
    this.#buffer.resize(0)
    return repeated
  }
}
