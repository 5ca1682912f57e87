import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../../../errors.ts'
import { maxLength } from './lines.ts'

export class NotAnArrayError extends Error {}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

const isOpening = (code: number) => code === 0x5b || code === 0x7b
const isClosing = (code: number) => code === 0x5d || code === 0x7d
const isBlank = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/**
 * Extracts the elements of a JSON array, or of the array under a key of an object, in constant memory. The caller
 * parses each element.
 * @param name name of the input in messages
 * @throws {NotAnArrayError} when the array is missing or malformed
 * @throws {UsageError} for an element above 16 MB
 */
export async function* elementsOf(
  bytes: AsyncIterable<Buffer>,
  key: string,
  name: string,
): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  const scanner = new Scanner(key, name)
  let first = true
  for await (const chunk of bytes) {
    const text = decoder.write(chunk)
    const elements = scanner.read(first ? text.replace(/^\ufeff/, '') : text)
    first = false
    if (elements.length > 0) yield elements
  }
  scanner.end()
}

class Scanner {
  readonly #key: string
  readonly #name: string
  #part = ''
  #at = 0
  readonly #open: number[] = []
  #inString = false
  #escaped = false
  /** Number of open brackets directly inside the array; 0 outside. */
  #level = 0
  #found = false
  #ended = false
  /** Start of the current element or possible key in this part; -1 if none. */
  #start = -1
  #earlier: string[] = []
  #earlierLength = 0
  #afterComma = false
  #count = 0

  constructor(key: string, name: string) {
    this.#key = key
    this.#name = name
  }

  read(part: string): string[] {
    this.#part = part
    const elements: string[] = []
    for (this.#at = 0; this.#at < part.length; this.#at++) {
      const code = part.charCodeAt(this.#at)
      if (this.#escaped) this.#escaped = false
      else if (this.#inString) {
        if (code === backslash) this.#escaped = true
        else if (code === quote) this.#inString = false
      } else if (!isBlank(code)) this.#see(code, elements)
    }
    if (this.#start >= 0) this.#keep()
    return elements
  }

  /** Stores the unfinished element. The parts are joined once, to avoid quadratic time. */
  #keep(): void {
    const text = this.#part.slice(this.#start)
    this.#earlier.push(text)
    this.#earlierLength += text.length
    this.#start = 0
    if (this.#earlierLength <= maxLength) return
    const what = this.#level > 0 ? `element ${this.#count + 1}` : 'what stands before the array'
    throw new UsageError(`${this.#name}: ${what} is longer than 16 MB`)
  }

  #begin(): void {
    this.#start = this.#at
    this.#earlier = []
    this.#earlierLength = 0
  }

  #text(): string {
    return this.#earlier.join('') + this.#part.slice(this.#start, this.#at)
  }

  end(): void {
    if (!this.#ended) throw new NotAnArrayError('it ends too soon')
    if (!this.#found) throw new NotAnArrayError('there is no such array')
  }

  #see(code: number, elements: string[]): void {
    if (this.#ended) throw new NotAnArrayError('there is text after its end')
    const direct = this.#level > 0 && this.#open.length === this.#level
    if (direct && (code === comma || isClosing(code))) {
      const empty = this.#start < 0 && (code === comma || this.#afterComma)
      if (this.#start >= 0 || empty) {
        elements.push(empty ? '' : this.#text())
        this.#count++
      }
      this.#start = -1
      this.#afterComma = code === comma
    } else if (
      this.#start < 0 &&
      (direct || (code === quote && this.#open.length === 1 && this.#level === 0))
    ) {
      this.#begin()
      this.#afterComma = false
    }
    if (this.#open.length === 0 && !isOpening(code))
      throw new NotAnArrayError('it is neither an array nor an object')
    if (code === quote) this.#inString = true
    else if (isOpening(code)) this.#opening(code)
    else if (isClosing(code)) this.#closing(code)
    // After a value of the top-level object, the next key starts.
    else if (code === comma && this.#level === 0 && this.#open.length === 1) this.#start = -1
  }

  #opening(code: number): void {
    const list = code === 0x5b && this.#level === 0
    if (list && (this.#open.length === 0 || (this.#open.length === 1 && this.#isWanted()))) {
      this.#level = this.#open.length + 1
      this.#found = true
      this.#start = -1
    }
    this.#open.push(code)
  }

  /** Returns true when the text before this value is the expected key. */
  #isWanted(): boolean {
    const text = this.#start < 0 ? '' : this.#text().trimEnd()
    try {
      return text.endsWith(':') && JSON.parse(text.slice(0, -1)) === this.#key
    } catch {
      return false
    }
  }

  #closing(code: number): void {
    // The codes of matching brackets differ by two.
    if (this.#open.pop() !== code - 2) throw new NotAnArrayError('its brackets do not match')
    if (this.#open.length < this.#level) this.#level = 0
    if (this.#open.length === 0) this.#ended = true
  }
}
