import { StringDecoder } from 'node:string_decoder'
import { UsageError } from '../../../errors.ts'
import { maxLength } from '../../../files/read-lines.ts'

export class NotAnArrayError extends Error {}

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c

const isOpening = (code: number) => code === 0x5b || code === 0x7b
const isClosing = (code: number) => code === 0x5d || code === 0x7d
const isWhiteSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09

/**
 * Yields the text of each element of a JSON array, or of the array under a key of an object.
 * @throws {NotAnArrayError} if the array is missing, or the input around its elements is malformed
 * @throws {UsageError} for an element, or another field of the object, longer than `maxLength`
 */
export async function* readElements(
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
  scanner.requireEnd()
}

class Scanner {
  readonly #key: string
  readonly #name: string
  #part = ''
  #at = 0
  readonly #open: number[] = []
  #isInString = false
  #isEscaped = false
  /** Bracket depth of the elements of the array; 0 before and after the array. */
  #level = 0
  #hasFoundArray = false
  #hasEnded = false
  #start = -1
  #unfinished: string[] = []
  #unfinishedLength = 0
  #isAfterComma = false
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
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (code === backslash) this.#isEscaped = true
        else if (code === quote) this.#isInString = false
      } else if (!isWhiteSpace(code)) this.#scan(code, elements)
    }
    if (this.#start >= 0) this.#saveUnfinished()
    return elements
  }

  /** Stores the unfinished text in parts, which are joined once to avoid quadratic time. */
  #saveUnfinished(): void {
    const text = this.#part.slice(this.#start)
    this.#unfinished.push(text)
    this.#unfinishedLength += text.length
    this.#start = 0
    if (this.#unfinishedLength <= maxLength) return
    const what =
      this.#level > 0
        ? `element ${this.#count + 1}`
        : `the text ${this.#hasFoundArray ? 'after' : 'before'} the array`
    throw new UsageError(`${this.#name}: ${what} is longer than 16 MB`)
  }

  #beginElement(): void {
    this.#start = this.#at
    this.#unfinished = []
    this.#unfinishedLength = 0
  }

  #elementText(): string {
    return this.#unfinished.join('') + this.#part.slice(this.#start, this.#at)
  }

  requireEnd(): void {
    if (!this.#hasEnded) throw new NotAnArrayError('the input ends too early')
    if (!this.#hasFoundArray) throw new NotAnArrayError('the array is missing')
  }

  #scan(code: number, elements: string[]): void {
    if (this.#hasEnded) throw new NotAnArrayError('the input continues after its end')
    const isDirect = this.#level > 0 && this.#open.length === this.#level
    if (isDirect && (code === comma || isClosing(code))) {
      const isEmpty = this.#start < 0 && (code === comma || this.#isAfterComma)
      if (this.#start >= 0 || isEmpty) {
        elements.push(isEmpty ? '' : this.#elementText())
        this.#count++
      }
      this.#start = -1
      this.#isAfterComma = code === comma
    } else if (
      this.#start < 0 &&
      (isDirect || (code === quote && this.#open.length === 1 && this.#level === 0))
    ) {
      this.#beginElement()
      this.#isAfterComma = false
    }
    if (this.#open.length === 0 && !isOpening(code))
      throw new NotAnArrayError('the input must be an array or an object')
    if (code === quote) this.#isInString = true
    else if (isOpening(code)) this.#openBracket(code)
    else if (isClosing(code)) this.#closeBracket(code)
    // A comma in the top-level object ends a value, so a key follows.
    else if (code === comma && this.#level === 0 && this.#open.length === 1) this.#start = -1
  }

  #openBracket(code: number): void {
    const isArray = code === 0x5b && this.#level === 0
    if (isArray && (this.#open.length === 0 || (this.#open.length === 1 && this.#isExpectedKey()))) {
      this.#level = this.#open.length + 1
      this.#hasFoundArray = true
      this.#start = -1
    }
    this.#open.push(code)
  }

  #isExpectedKey(): boolean {
    const text = this.#start < 0 ? '' : this.#elementText().trimEnd()
    try {
      return text.endsWith(':') && JSON.parse(text.slice(0, -1)) === this.#key
    } catch {
      return false
    }
  }

  #closeBracket(code: number): void {
    // The codes of matching brackets differ by two.
    if (this.#open.pop() !== code - 2) throw new NotAnArrayError('the brackets of the input do not match')
    if (this.#open.length < this.#level) this.#level = 0
    if (this.#open.length === 0) this.#hasEnded = true
  }
}
