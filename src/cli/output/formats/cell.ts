import type { Redact } from '../redaction/redact.ts'
import { plainText } from '../views/text.ts'

/** Number of bytes that a table or a record shows of one value: more takes seconds to measure and to lay out. */
export const mostOfCell = 64 * 1024

/** Number of characters read beyond that, so that no part of a secret is left at the cut. */
const margin = 32 * 1024

/** The text of a value as a table or a record shows it: without keys, and cut when it is long. Not yet safe to show. */
export function cellText(value: unknown, redact: Redact): string {
  const text = plainText(value)
  if (text.length * 3 <= mostOfCell) return redact(text)
  const size = Buffer.byteLength(text)
  if (size <= mostOfCell) return redact(text)
  const beginning = redact(text.slice(0, mostOfCell + margin))
  const kept = text.length > mostOfCell + margin ? beginning.slice(0, -margin) : beginning
  return `${firstBytes(kept)}… (${describeSize(size)}; -o json shows all of it)`
}

/** As many whole characters as fit. */
function firstBytes(text: string): string {
  const bytes = Buffer.from(text.slice(0, mostOfCell)).subarray(0, mostOfCell)
  // In a stream, the bytes of a character that is cut off are left for later.
  return new TextDecoder().decode(bytes, { stream: true }).replace(/(?:\u200c|\u200d|\ufffd)+$/, '')
}

function describeSize(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KB` : `${Math.round(bytes / 1024 / 1024)} MB`
}
