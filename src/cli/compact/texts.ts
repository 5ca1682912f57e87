import { hashEvenly } from '../../hash.ts'

const firstSlots = 256
const firstChunkLength = 4096
/** Factor between the lengths of two chunks. */
const growth = 4
/** Number of positions of a chunk. Chunks avoid the copies that a growing buffer would leave behind. */
const chunkLength = 2 ** 20
/** Length before the bytes of a text: the encoding (1 byte) and the number of bytes (4 bytes). */
const headerLength = 5
const latin1 = 0
const utf16 = 1

/**
 * Set of texts in a hash table and chunks with the bytes of all texts. Texts are compared in full, so repeats are found
 * exactly.
 */
export class CompactTexts {
  /** Slots of two numbers: the position of a text plus 1, and the hash of the text. Empty slots contain 0. */
  #slots = new Uint32Array(2 * firstSlots)
  readonly #chunks = [Buffer.allocUnsafe(firstChunkLength)]
  /** End of the last text in the last chunk. */
  #end = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  has(text: string): boolean {
    return this.#slots[this.#find(text, hashEvenly(text))] !== 0
  }

  /** Adds a text. Returns false if the set already contains the text. */
  add(text: string): boolean {
    const before = this.#size
    this.place(text)
    return this.#size > before
  }

  /** Adds a text if it is new. Returns its position, which identifies the text. */
  place(text: string): number {
    const hash = hashEvenly(text)
    const slot = this.#find(text, hash)
    const known = this.#slots[slot] ?? 0
    if (known !== 0) return known - 1
    const position = this.#append(text)
    this.#slots[slot] = position + 1
    this.#slots[slot + 1] = hash
    this.#size++
    if (this.#size * 3 > this.#slots.length) this.#grow()
    return position
  }

  textAt(position: number): string {
    const bytes = this.#chunks[Math.floor(position / chunkLength)]
    const at = position % chunkLength
    if (!bytes) return ''
    const start = at + headerLength
    const end = start + bytes.readUInt32LE(at + 1)
    return bytes.toString(bytes[at] === utf16 ? 'utf16le' : 'latin1', start, end)
  }

  /** Removes all texts and keeps some memory for the next ones. */
  clear(): void {
    this.#slots.fill(0)
    this.#chunks.splice(0, this.#chunks.length - 1)
    this.#end = 0
    this.#size = 0
  }

  /** Returns the index of a text in `#slots`, or of the empty slot where it belongs. */
  #find(text: string, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = (2 * hash) & mask; ; slot = (slot + 2) & mask) {
      const position = slots[slot] ?? 0
      if (position === 0 || (slots[slot + 1] === hash && this.#isAt(position - 1, text))) return slot
    }
  }

  #isAt(position: number, text: string): boolean {
    const bytes = this.#chunks[Math.floor(position / chunkLength)]
    if (!bytes) return false
    const at = position % chunkLength
    const isWide = bytes[at] === utf16
    const start = at + headerLength
    if (bytes.readUInt32LE(at + 1) !== (isWide ? 2 * text.length : text.length)) return false
    for (let i = 0; i < text.length; i++) {
      const code = isWide ? bytes.readUInt16LE(start + 2 * i) : bytes[start + i]
      if (code !== text.charCodeAt(i)) return false
    }
    return true
  }

  /** Appends a text and returns its position. */
  #append(text: string): number {
    const bytes = this.#reserve(headerLength + 2 * text.length)
    const at = this.#end
    const start = at + headerLength
    let length = 0
    // For short texts, this loop is faster than a call of a Buffer method.
    for (; length < text.length; length++) {
      const code = text.charCodeAt(length)
      if (code > 0xff) break
      bytes[start + length] = code
    }
    const isWide = length < text.length
    // UTF-8 cannot represent half a surrogate pair.
    if (isWide) length = bytes.write(text, start, 'utf16le')
    bytes[at] = isWide ? utf16 : latin1
    bytes.writeUInt32LE(length, at + 1)
    this.#end = start + length
    return (this.#chunks.length - 1) * chunkLength + at
  }

  /** Returns a chunk with space for `length` bytes after `#end`. */
  #reserve(length: number): Buffer {
    const last = this.#chunks.at(-1)
    if (last && this.#end < chunkLength && this.#end + length <= last.length) return last
    // A text that is longer than a chunk gets its own chunk.
    const growing = Math.min(chunkLength, growth * (last?.length ?? 0))
    const chunk = Buffer.allocUnsafe(Math.max(growing, length))
    this.#chunks.push(chunk)
    this.#end = 0
    return chunk
  }

  #grow(): void {
    const before = this.#slots
    const slots = new Uint32Array(2 * before.length)
    const mask = slots.length - 1
    for (let i = 0; i < before.length; i += 2) {
      const position = before[i] ?? 0
      const hash = before[i + 1] ?? 0
      if (position === 0) continue
      let slot = (2 * hash) & mask
      while (slots[slot] !== 0) slot = (slot + 2) & mask
      slots[slot] = position
      slots[slot + 1] = hash
    }
    this.#slots = slots
  }
}
