/** Size of the blocks into which small chunks are copied, in bytes. */
const blockBytes = 64 * 1024

/**
 * Chunks of a body. Copies small chunks except the first, because even one byte can keep a whole socket
 * buffer in memory.
 */
export class ChunkList {
  readonly #chunks: Buffer[] = []
  #isEmpty = true
  #block = Buffer.alloc(0)
  #used = 0

  add(chunk: Buffer): void {
    if (this.#isEmpty || chunk.length >= blockBytes / 4) {
      this.#isEmpty = false
      this.#flush()
      this.#chunks.push(chunk)
      return
    }
    if (this.#used + chunk.length > this.#block.length) {
      this.#flush()
      this.#block = Buffer.allocUnsafe(blockBytes)
    }
    this.#used += chunk.copy(this.#block, this.#used)
  }

  concat(): Buffer {
    this.#flush()
    const [first] = this.#chunks
    return first && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks)
  }

  #flush(): void {
    if (this.#used > 0) this.#chunks.push(this.#block.subarray(0, this.#used))
    this.#block = this.#block.subarray(this.#used)
    this.#used = 0
  }
}
