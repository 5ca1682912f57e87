import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import { UsageError } from '../errors.ts'

/** Maximum nesting depth of some inputs, such as keys in `--set` and requests to the embedded service. */
export const maxLevels = 100
/**
 * Default maximum nesting depth of JSON. Exceeds `maxLevels`, because other services may accept deeper JSON.
 */
const maxResponseLevels = 200
/** Default maximum number of values in JSON. Printing two million values takes up to 700 MB. */
const maxResponseValues = 1_000_000
/** Maximum size of JSON, in bytes. Printing a sorted list as CSV takes nine times as much memory. */
const maxBytes = 32 * 1024 * 1024
/** Maximum size of JSON with characters outside Latin-1, in bytes. V8 then uses two bytes per character. */
const maxWideBytes = maxBytes / 2
/** Approximate maximum number of different field names. Each takes up to 300 bytes besides its text. */
const maxNames = 100_000

/** Error for JSON that could exhaust the stack or the memory. */
export class JsonLimitError extends SyntaxError {}

const createTooDeepError = (levels: number) => new JsonLimitError(`nested more than ${levels} levels deep`)

/**
 * Parses JSON. Rounds numbers that a double cannot hold.
 * @throws {SyntaxError} if the text is not JSON or exceeds a limit
 */
export function parseJson(text: string, levels = maxResponseLevels): unknown {
  return parseText(text, levels).value
}

type Parsed = Omit<JsonBody, 'bytes'>

function parseText(text: string, levels: number): Parsed {
  if (text.length > quickBytes) requireJsonLimits(Buffer.from(text), levels)
  return parseChecked(text, levels)
}

/** Parses JSON. The caller must check the limits of long JSON first. */
function parseChecked(text: string, levels: number): Parsed {
  const value: unknown = JSON.parse(text)
  if (text.length > 2 * levels && text.length <= quickBytes && isDeeper(value, levels))
    throw createTooDeepError(levels)
  const isPlain = !mayLoseDigits.test(text)
  if (!isPlain) requireFewLongNumbers(text)
  return { value, isPlain }
}

/** Maximum size of JSON that needs no check before parsing, in bytes or characters. */
const quickBytes = 512 * 1024
/** Highest byte in the UTF-8 encoding of Latin-1 characters. */
const lastLatin1 = 0xc3
const nameSlots = 2 ** 20
const [quote, backslash, colon, comma, openList, closeList, openObject, closeObject] =
  Buffer.from('"\\:,[]{}')
const [zero = 0, nine = 0, minus, plus, dot, letterE] = Buffer.from('09-+.e')

/**
 * Checks the limits of JSON longer than `quickBytes`, because parsing 63 MB of `[` takes 2.9 GB. Takes 10 ms
 * for a list of 20,000 rooms, a quarter of the parsing time.
 * @param bytes UTF-8 text, which need not be JSON
 * @throws {JsonLimitError} if a long text exceeds a limit
 */
export function requireJsonLimits(
  bytes: Uint8Array,
  levels = maxResponseLevels,
  values = maxResponseValues,
): void {
  const { length } = bytes
  if (length <= quickBytes) return
  if (length > maxBytes) throw new JsonLimitError(`larger than ${maxBytes / 2 ** 20} MB`)
  if (length > maxWideBytes && bytes.some((byte) => byte > lastLatin1))
    throw new JsonLimitError(`larger than ${maxWideBytes / 2 ** 20} MB with characters outside Latin-1`)
  let depth = 0
  // Counts the root value.
  let count = 1
  const names = new Uint8Array(nameSlots)
  let nameCount = 0
  let hash = 0
  // Random, so that an attacker cannot choose names with equal hashes.
  const factor = (Math.random() * 2 ** 31) | 1
  for (let i = 0; i < length; i++) {
    const byte = bytes[i]
    if (byte === quote) {
      hash = 0
      for (i++; i < length && bytes[i] !== quote; i++) {
        if (bytes[i] === backslash) i++
        hash = Math.imul(hash ^ (bytes[i] ?? 0), factor) ^ (hash >>> 15)
      }
    } else if (byte === colon) {
      const slot = (hash ^ (hash >>> 15)) & (nameSlots - 1)
      if (names[slot] === 0 && ++nameCount > maxNames)
        throw new JsonLimitError(`too large: more than ${maxNames} different names`)
      names[slot] = 1
    } else if (byte === comma) count++
    else if (byte === openList || byte === openObject) {
      count++
      if (++depth > levels) throw createTooDeepError(levels)
    } else if (byte === closeList || byte === closeObject) depth--
    else continue
    if (count > values) throw new JsonLimitError(`too large: more than ${values} values`)
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((held) => isDeeper(held, levels - 1))
}

// Matches every text with a number that a double cannot hold, and some other texts. Much faster than
// lossless parsing.
const mayLoseDigits = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * @throws {SyntaxError} if the bytes are not JSON or exceed a limit
 * @throws {TypeError} if the bytes are not UTF-8
 */
export function parseJsonBytes(bytes: Uint8Array): Parsed {
  requireJsonLimits(bytes)
  return parseChecked(utf8.decode(bytes), maxResponseLevels)
}

/**
 * Parses JSON. Numbers that a double cannot hold become `LosslessNumber`.
 * @throws {SyntaxError} if the text is not JSON or exceeds a limit
 */
export function readJson(text: string, levels = maxResponseLevels): unknown {
  const { value, isPlain } = parseText(text, levels)
  return isPlain ? value : readLossless(text)
}

/** Maximum number of numbers that a double cannot hold. Each number takes 200 bytes. */
const maxLongNumbers = 200_000

/**
 * Parses JSON without loss. The caller must check the limits first. `JSON.parse` receives long numbers as
 * marked strings; a JavaScript parser would take a hundred times the memory of a long text.
 */
export function readLossless(text: string): unknown {
  if (!mayLoseDigits.test(text)) return JSON.parse(text)
  // Random, so that no text of a service looks like a marked number.
  const mark = `${Math.random()}:`
  let marked = ''
  let copied = 0
  for (const [start, end] of findLongNumbers(text)) {
    marked += `${text.slice(copied, start)}"\\u0000${mark}${text.slice(start, end)}"`
    copied = end
  }
  return replaceMarked(JSON.parse(marked + text.slice(copied)), `\0${mark}`)
}

function requireFewLongNumbers(text: string): void {
  let count = 0
  for (const _ of findLongNumbers(text))
    if (++count > maxLongNumbers)
      throw new JsonLimitError(`too large: more than ${maxLongNumbers} numbers of more than 15 digits`)
}

/** Yields the start and the exclusive end of each number that a double cannot hold. */
function* findLongNumbers(text: string): Generator<readonly [start: number, end: number]> {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === quote) i = findEndOfText(text, i)
    else if (code === minus || (code >= zero && code <= nine)) {
      const start = i
      while (isInNumber(text.charCodeAt(i + 1))) i++
      const digits = text.slice(start, i + 1)
      if ((digits.length < 16 && !/[eE]/.test(digits)) || isSafeNumber(digits)) continue
      yield [start, i + 1]
    }
  }
}

const isInNumber = (code: number) =>
  (code >= zero && code <= nine) || code === minus || code === plus || code === dot || (code | 32) === letterE

function findEndOfText(text: string, start: number): number {
  for (let i = start + 1; ; i++) {
    const code = text.charCodeAt(i)
    if (code === backslash) i++
    else if (code === quote || i >= text.length) return i
  }
}

function replaceMarked(value: unknown, mark: string): unknown {
  if (typeof value === 'string' && value.startsWith(mark)) return new LosslessNumber(value.slice(mark.length))
  if (typeof value !== 'object' || value === null) return value
  const parent = value as Record<string, unknown>
  for (const key in parent) {
    const held = parent[key]
    if (typeof held === 'object') replaceMarked(held, mark)
    else if (typeof held === 'string' && held.startsWith(mark)) parent[key] = replaceMarked(held, mark)
  }
  return value
}

/**
 * @param name source of the text, such as `--data`
 * @throws {UsageError} if `parse` throws
 */
export function parseGivenJson(text: string, name: string, parse: (text: string) => unknown): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new UsageError(`${name} is not valid JSON: ${describeJsonError(error, text)}`)
  }
}

/** Describes a JSON error, with the position of an unexpected character. */
export function describeJsonError(error: unknown, text: string): string {
  if (error instanceof JsonLimitError) return error.message
  if (text.trim() === '') return 'it is empty'
  const at = findFault(text)
  const character = Array.from(text.slice(at, at + 2))[0]
  if (character === undefined) return 'it ends too early'
  const before = text.slice(0, at).split('\n')
  const line = text.trim().includes('\n') ? `line ${before.length}, ` : ''
  const fix = /[\u2018-\u201e]/.test(character)
    ? '; JSON needs ASCII quotes (")'
    : at > 0 && /['_a-z]/i.test(character)
      ? '; strings in JSON need double quotes'
      : ''
  return `unexpected “${character}” at ${line}column ${(before.at(-1) ?? '').length + 1}${fix}`
}

/** Returns the offset of the first invalid character. The messages of `JSON.parse` do not always have one. */
function findFault(text: string): number {
  try {
    parse(text)
  } catch (error) {
    const [, position] = /at position (\d+)$/.exec((error as Error).message) ?? []
    if (position !== undefined) return Number(position)
  }
  return text.length
}

/** Serializes a value that may contain `LosslessNumber`. */
export function writeJson(value: unknown, space?: number): string {
  return (isOrdinary(value) ? JSON.stringify : stringify)(value, null, space) ?? 'null'
}

/** Returns true if JSON.stringify, which is much faster than lossless writing, can write every number. */
function isOrdinary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (value instanceof LosslessNumber) return false
  for (const key in value) if (!isOrdinary((value as Record<string, unknown>)[key])) return false
  return true
}

export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof LosslessNumber
}

/** Bytes and value of a JSON response. The text could take twice as much memory as the bytes. */
export interface JsonBody<T = unknown> {
  bytes: Uint8Array
  value: T
  /** True if `JSON.parse` cannot have rounded a number in `value`. */
  isPlain: boolean
}

/** Returns the value of a response without rounded numbers. */
export function readResponseValue({ bytes, value, isPlain }: JsonBody): unknown {
  return isPlain ? value : readLossless(new TextDecoder().decode(bytes))
}
