import { hashKey } from '../../../hash.ts'

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
