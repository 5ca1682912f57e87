import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'
import { ServiceError } from '../errors.ts'

// JSON.parse rounds what a double cannot hold. Looking for such a number costs far less than reading every document
// losslessly. A number stands behind a bracket, a colon, a comma or a blank: ids in hex are full of digits and e's.
const mayLoseDigits = /(?:^|[\s:,[])-?\d(?:[\d.]{15}|[\d.]*[eE])/

/**
 * Reads JSON without losing a digit: numbers that a double cannot hold become `LosslessNumber`, which `writeJson`
 * writes back as they were.
 * @throws {SyntaxError} when the text is not JSON
 */
export function readJson(text: string): unknown {
  if (!mayLoseDigits.test(text)) return JSON.parse(text)
  return parse(text, null, {
    // The last one counts, as for JSON.parse.
    onDuplicateKey: ({ newValue }) => newValue,
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
  })
}

/** Writes a value that `readJson` read, on one line, or indented by `space` blanks. */
export function writeJson(value: unknown, space?: number): string {
  return deep(() => (isOrdinary(value) ? JSON.stringify : stringify)(value, null, space) ?? 'null')
}

/** Whether every number in it is one that JSON.stringify writes: nearly always, and at a fraction of the cost. */
function isOrdinary(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value !== 'bigint'
  if (value instanceof LosslessNumber) return false
  for (const key in value) if (!isOrdinary((value as Record<string, unknown>)[key])) return false
  return true
}

/** Whether JSON has no number but such as JSON.parse and JSON.stringify give back as they were. */
export function isPlain(text: string): boolean {
  return !mayLoseDigits.test(text)
}

/** The value of an answer without losing a digit. */
export function readAnswer(answer: { text: string; value: unknown }): unknown {
  return mayLoseDigits.test(answer.text) ? deep(() => readJson(answer.text)) : answer.value
}

/** @throws {ServiceError} where JSON is nested deeper than the stack goes */
function deep<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new ServiceError('the service’s answer cannot be read: it is nested too deeply')
  }
}
