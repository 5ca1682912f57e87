import { CompactRecords } from './records.ts'

/** Length of a chunk in bytes. Chunks avoid the copies that a growing buffer would leave behind. */
const chunkLength = 2 ** 20
/** Maximum number of bytes of UTF-8 for a UTF-16 code unit. */
const maxBytesPerUnit = 3

/** List of texts outside the JavaScript heap, as UTF-8. The texts must not contain half a surrogate pair. */
export class CompactTextList {
  readonly #chunks: Buffer[] = []
  /** The chunk, start and end of each text. */
  readonly #places = new CompactRecords('integer', 3)
  #chunk = 0
  #end = 0

  add(text: string): void {
    const chunk = this.#reserve(maxBytesPerUnit * text.length)
    this.#place(this.#places.create(), chunk.write(text, this.#end))
  }

  textAt(index: number): string {
    return (
      this.#chunkOf(index)?.toString('utf8', this.#places.get(index, 1), this.#places.get(index, 2)) ?? ''
    )
  }

  /** Removes all texts except those at the given ascending indexes, which are then numbered from 0. */
  keep(indexes: Uint32Array): void {
    this.#chunk = 0
    this.#end = 0
    for (const [to, from] of indexes.entries()) {
      const source = this.#chunkOf(from)
      const start = this.#places.get(from, 1)
      const length = this.#places.get(from, 2) - start
      // Texts are placed in the same order again, so none moves towards the end.
      const chunk = this.#reserve(length)
      if (chunk === source) chunk.copyWithin(this.#end, start, start + length)
      else source?.copy(chunk, this.#end, start, start + length)
      this.#place(to, length)
    }
    this.#places.truncate(indexes.length)
  }

  #chunkOf(index: number): Buffer | undefined {
    return this.#chunks[this.#places.get(index, 0)]
  }

  #place(index: number, length: number): void {
    this.#places.set(index, 0, this.#chunk)
    this.#places.set(index, 1, this.#end)
    this.#end += length
    this.#places.set(index, 2, this.#end)
  }

  /** Returns a chunk with space for `length` bytes after `#end`. */
  #reserve(length: number): Buffer {
    for (;;) {
      const chunk = this.#chunks[this.#chunk]
      if (!chunk) this.#chunks.push(Buffer.allocUnsafeSlow(Math.max(chunkLength, length)))
      else if (this.#end + length <= chunk.length) return chunk
      else {
        this.#chunk++
        this.#end = 0
      }
    }
  }
}
