import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'

/** Maximum nesting of JSON that the embedded service and `webhooks listen` accept. */
export const mostLevels = 100
/** Maximum nesting of JSON in an answer: it holds what somebody sent, and other services may accept more. */
const mostLevelsRead = 500

/** JSON nested so deeply that processing it could exhaust the stack. */
export class TooDeep extends SyntaxError {
  constructor(levels: number) {
    super(`nested more than ${levels} levels deep`)
  }
}

/**
 * Reads JSON from outside, as JSON.parse does, which does not recurse itself.
 * @throws {SyntaxError} when the text is not JSON
 * @throws {TooDeep} when it is nested deeper than anything may be
 */
export function parseJson(text: string, levels = mostLevelsRead): unknown {
  const value: unknown = JSON.parse(text)
  // Each level needs an opening and a closing bracket.
  if (text.length > 2 * levels && isDeeper(value, levels)) throw new TooDeep(levels)
  return value
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  // `for in` makes a text of each index.
  if (Array.isArray(value)) return value.some((held) => isDeeper(held, levels - 1))
  for (const key in value) {
    const held = (value as Record<string, unknown>)[key]
    // Most values are no objects, and a call for each takes most of the time.
    if (typeof held === 'object' && isDeeper(held, levels - 1)) return true
  }
  return false
}

// JSON.parse rounds what a double cannot hold. Looking for such a number costs far less than reading every document
// losslessly. A number stands behind a bracket, a colon, a comma or a blank: ids in hex are full of digits and e's.
const mayLoseDigits = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/

/**
 * Reads JSON without losing a digit: numbers that a double cannot hold become `LosslessNumber`, which `writeJson`
 * writes back as they were.
 * @throws {SyntaxError} when the text is not JSON, or nested too deep
 */
export function readJson(text: string, levels?: number): unknown {
  const value = parseJson(text, levels)
  return mayLoseDigits.test(text) ? readLossless(text) : value
}

function readLossless(text: string): unknown {
  return parse(text, null, {
    // The last one counts, as for JSON.parse.
    onDuplicateKey: ({ newValue }) => newValue,
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
  })
}

/** Writes a value that `readJson` read, on one line, or indented by `space` blanks. */
export function writeJson(value: unknown, space?: number): string {
  return (isOrdinary(value) ? JSON.stringify : stringify)(value, null, space) ?? 'null'
}

/** Whether every number in it is one that JSON.stringify writes: nearly always, and at a fraction of the cost. */
function isOrdinary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (value instanceof LosslessNumber) return false
  for (const key in value) if (!isOrdinary((value as Record<string, unknown>)[key])) return false
  return true
}

/** Whether a value that `readJson` read is a text, a number, a boolean or null. */
export function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null || value instanceof LosslessNumber
}

/** Whether JSON.parse and JSON.stringify reproduce every number in it. */
export function isPlain(text: string): boolean {
  return !mayLoseDigits.test(text)
}

/** The value of an answer, whose text `parseJson` has read, without losing a digit. */
export function readAnswer(answer: { text: string; value: unknown }): unknown {
  return mayLoseDigits.test(answer.text) ? readLossless(answer.text) : answer.value
}

/** The body of an answer as the service sent it, without losing a digit. */
export function readBody({ bytes }: { bytes: Uint8Array }): unknown {
  return readJson(new TextDecoder().decode(bytes))
}
