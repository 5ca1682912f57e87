import { hashEvenly } from '../../../hash.ts'

const firstSlots = 256
const firstChunkLength = 4096
/** Number of positions of a chunk. Chunks avoid the copies that a growing buffer would leave behind. */
const chunkLength = 2 ** 20
/** Length before the bytes of an ID: the encoding (1 byte) and the number of bytes (4 bytes). */
const headerLength = 5
const latin1 = 0
const utf16 = 1

/** Maximum size of a `Set`. For shorter lists, `CompactIds` costs time to compile: 5 ms of 20,000 IDs. */
const maxInSet = 65_536

/** Set of IDs for long lists. For a million IDs of 24 characters, it takes a third of the memory of a `Set`. */
export class IdSet {
  readonly #ids = new Set<string>()
  #compact: CompactIds | undefined

  get size(): number {
    return this.#compact?.size ?? this.#ids.size
  }

  has(id: string): boolean {
    return this.#compact?.has(id) ?? this.#ids.has(id)
  }

  /** Adds an ID. Returns false if the set already contains the ID. */
  add(id: string): boolean {
    if (this.#compact) return this.#compact.add(id)
    const ids = this.#ids
    const before = ids.size
    ids.add(id)
    if (ids.size === before) return false
    if (before === maxInSet) this.#makeCompact()
    return true
  }

  #makeCompact(): void {
    this.#compact = new CompactIds()
    for (const id of this.#ids) this.#compact.add(id)
    this.#ids.clear()
  }
}

/**
 * Set of IDs in a hash table and chunks with the bytes of all IDs. IDs are compared in full, so repeats are found
 * exactly.
 */
export class CompactIds {
  /** Slots of two numbers: the position of an ID plus 1, and the hash of the ID. Empty slots contain 0. */
  #slots = new Uint32Array(2 * firstSlots)
  readonly #chunks = [Buffer.allocUnsafe(firstChunkLength)]
  /** End of the last ID in the last chunk. */
  #end = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  has(id: string): boolean {
    return this.#slots[this.#find(id, hashEvenly(id))] !== 0
  }

  add(id: string): boolean {
    const hash = hashEvenly(id)
    const slot = this.#find(id, hash)
    if (this.#slots[slot] !== 0) return false
    this.#slots[slot] = this.#append(id) + 1
    this.#slots[slot + 1] = hash
    this.#size++
    if (this.#size * 3 > this.#slots.length) this.#grow()
    return true
  }

  /** Returns the index of an ID in `#slots`, or of the empty slot where it belongs. */
  #find(id: string, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = (2 * hash) & mask; ; slot = (slot + 2) & mask) {
      const position = slots[slot] ?? 0
      if (position === 0 || (slots[slot + 1] === hash && this.#isAt(position - 1, id))) return slot
    }
  }

  #isAt(position: number, id: string): boolean {
    const bytes = this.#chunks[Math.floor(position / chunkLength)]
    if (!bytes) return false
    const at = position % chunkLength
    const isWide = bytes[at] === utf16
    const start = at + headerLength
    if (bytes.readUInt32LE(at + 1) !== (isWide ? 2 * id.length : id.length)) return false
    for (let i = 0; i < id.length; i++) {
      const code = isWide ? bytes.readUInt16LE(start + 2 * i) : bytes[start + i]
      if (code !== id.charCodeAt(i)) return false
    }
    return true
  }

  /** Appends an ID and returns its position. */
  #append(id: string): number {
    const bytes = this.#reserve(headerLength + 2 * id.length)
    const at = this.#end
    const start = at + headerLength
    let length = 0
    // For short texts, this loop is faster than a call of a Buffer method.
    for (; length < id.length; length++) {
      const code = id.charCodeAt(length)
      if (code > 0xff) break
      bytes[start + length] = code
    }
    const isWide = length < id.length
    // UTF-8 cannot represent half a surrogate pair.
    if (isWide) length = bytes.write(id, start, 'utf16le')
    bytes[at] = isWide ? utf16 : latin1
    bytes.writeUInt32LE(length, at + 1)
    this.#end = start + length
    return (this.#chunks.length - 1) * chunkLength + at
  }

  /** Returns a chunk with space for `length` bytes after `#end`. */
  #reserve(length: number): Buffer {
    const last = this.#chunks.at(-1)
    if (last && this.#end < chunkLength && this.#end + length <= last.length) return last
    // An ID that is longer than a chunk gets its own chunk.
    const chunk = Buffer.allocUnsafe(Math.max(chunkLength, length))
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
