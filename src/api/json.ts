import { isSafeNumber, LosslessNumber, parse, stringify } from 'lossless-json'

// JSON.parse rounds what a double cannot hold. Looking for such a number costs far less than reading every document
// losslessly, and a digit run inside a string merely takes the slower way.
const mayLoseDigits = /\d[\d.]{15}|\d[eE][+-]?\d/

/**
 * Reads JSON without losing a digit: numbers that a double cannot hold become `LosslessNumber`, which `writeJson`
 * writes back as they were.
 * @throws {SyntaxError} when the text is not JSON
 */
export function readJson(text: string): unknown {
  if (!mayLoseDigits.test(text)) return JSON.parse(text)
  return parse(text, null, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : new LosslessNumber(digits)),
  })
}

/** Writes a value that `readJson` read, on one line, or indented by `space` blanks. */
export function writeJson(value: unknown, space?: number): string {
  return stringify(value, null, space) ?? 'null'
}

/** The value of an answer without losing a digit. */
export function readAnswer(answer: { text: string; value: unknown }): unknown {
  return mayLoseDigits.test(answer.text) ? readJson(answer.text) : answer.value
}
