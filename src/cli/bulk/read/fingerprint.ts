import { createHash } from 'node:crypto'

/** Size of a block, in bytes. Files are read in chunks of this size. */
const blockBytes = 64 * 1024

/** Digests of an input that is read twice. */
export class Fingerprint {
  readonly #blocks: string[] = []
  readonly #whole = createHash('sha256')

  /** SHA-256 of the recorded input, in hex. Call it once, after the first reading. */
  takeDigest(): string {
    return this.#whole.digest('hex')
  }

  async *record(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const block of divide(input)) {
      this.#whole.update(block)
      this.#blocks.push(digest(block))
      yield block
    }
  }

  /** Yields the input again, each block after it is compared with the first reading. */
  async *verify(input: AsyncIterable<Buffer>, toError: () => Error): AsyncGenerator<Buffer> {
    let count = 0
    for await (const block of divide(input)) {
      if (this.#blocks[count++] !== digest(block)) throw toError()
      yield block
    }
    if (count < this.#blocks.length) throw toError()
  }
}

const digest = (block: Buffer) => createHash('sha256').update(block).digest('base64')

async function* divide(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of input) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (; rest.length >= blockBytes; rest = rest.subarray(blockBytes)) yield rest.subarray(0, blockBytes)
  }
  if (rest.length > 0) yield rest
}
