import { hashEvenly } from '../../../hash.ts'

const firstSlots = 256
const firstChunkLength = 4096
/** Factor between the lengths of consecutive chunks, up to `chunkLength`. */
const growth = 4
/** Maximum length of a regular chunk, in bytes. Chunks avoid copies of a growing buffer. */
const chunkLength = 2 ** 20
/** Length of a long header: the encoding and 63 (1 byte), and the number of bytes (4 bytes). */
const longHeaderLength = 5
/** Minimum number of bytes of a text with a long header. */
const minLong = 63
const latin1 = 0
const utf16 = 1
/** Encoding with two lowercase hexadecimal digits per byte. */
const hex = 2

/**
 * Set of texts in a hash table. Texts are compared in full, because different texts can have the same hash.
 */
export class CompactTexts {
  /** Pairs of numbers: the position of a text plus 1 (0 if empty), and the hash of the text. */
  #slots = new Uint32Array(2 * firstSlots)
  readonly #chunks = [Buffer.allocUnsafe(firstChunkLength)]
  /** End of the last text in the last chunk, in bytes. */
  #end = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  has(text: string): boolean {
    return this.#slots[this.#find(text, hashEvenly(text))] !== 0
  }

  /** Returns false if the set already contains the text. */
  add(text: string): boolean {
    const hash = hashEvenly(text)
    const slot = this.#find(text, hash)
    if (this.#slots[slot] !== 0) return false
    this.#slots[slot] = this.#append(text) + 1
    this.#slots[slot + 1] = hash
    this.#size++
    if (this.#size * 3 > this.#slots.length) this.#grow()
    return true
  }

  /** Returns the index of the text's slot, or of an empty slot for the text. */
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
    const { encoding, start, end } = readHeader(bytes, position % chunkLength)
    if (end - start !== countBytes(text, encoding)) return false
    for (let i = 0; i < text.length; i++)
      if (readCode(bytes, start, i, encoding) !== text.charCodeAt(i)) return false
    return true
  }

  #append(text: string): number {
    const encoding = selectEncoding(text)
    const length = countBytes(text, encoding)
    const bytes = this.#reserve(longHeaderLength + length)
    const at = this.#end
    bytes[at] = (encoding << 6) | Math.min(length, minLong)
    if (length >= minLong) bytes.writeUInt32LE(length, at + 1)
    const start = at + (length < minLong ? 1 : longHeaderLength)
    // UTF-8 cannot represent half a surrogate pair.
    if (encoding === utf16) bytes.write(text, start, 'utf16le')
    // For short texts, loops are faster than a call of a Buffer method.
    else if (encoding === latin1) for (let i = 0; i < length; i++) bytes[start + i] = text.charCodeAt(i)
    else
      for (let i = 0; i < length; i++)
        bytes[start + i] = (readDigit(text.charCodeAt(2 * i)) << 4) | readDigit(text.charCodeAt(2 * i + 1))
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

function readHeader(bytes: Buffer, at: number): { encoding: number; start: number; end: number } {
  const header = bytes[at] ?? 0
  const short = header & minLong
  const start = at + (short < minLong ? 1 : longHeaderLength)
  return { encoding: header >> 6, start, end: start + (short < minLong ? short : bytes.readUInt32LE(at + 1)) }
}

function selectEncoding(text: string): number {
  let encoding = text.length % 2 === 0 ? hex : latin1
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code > 0xff) return utf16
    if (encoding === hex && writeDigit(readDigit(code)) !== code) encoding = latin1
  }
  return encoding
}

function countBytes({ length }: string, encoding: number): number {
  return encoding === hex ? length / 2 : encoding === utf16 ? 2 * length : length
}

function readCode(bytes: Buffer, start: number, i: number, encoding: number): number {
  if (encoding === latin1) return bytes[start + i] ?? 0
  if (encoding === utf16) return bytes.readUInt16LE(start + 2 * i)
  const pair = bytes[start + (i >> 1)] ?? 0
  return writeDigit(i % 2 === 0 ? pair >> 4 : pair & 0xf)
}

/** Converts the code of a lowercase hexadecimal digit to its value. Other codes have meaningless values. */
function readDigit(code: number): number {
  return (code < 97 ? code - 48 : code - 87) & 0xf
}

function writeDigit(value: number): number {
  return value < 10 ? value + 48 : value + 87
}
