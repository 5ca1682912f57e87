import { toText } from '../../../api/to-text.ts'
import type { Redact } from '../redaction/redaction.ts'
import { describeSize } from '../terminal/size.ts'

/** Maximum size of the printed part of a value, in bytes. Measuring larger values can take seconds. */
const maxCellBytes = 64 * 1024

/** Number of characters redacted beyond the limit, so that a secret across the limit is recognized. */
const margin = 32 * 1024

/** Redacts and truncates a value. The result may contain control characters. */
export function formatCell(value: unknown, redact: Redact): string {
  const text = toText(value)
  if (text.length * 3 <= maxCellBytes) return redact(text)
  const size = Buffer.byteLength(text)
  if (size <= maxCellBytes) return redact(text)
  const beginning = redact(text.slice(0, maxCellBytes + margin))
  const kept = text.length > maxCellBytes + margin ? beginning.slice(0, -margin) : beginning
  return `${takeBytes(kept)}… (${describeSize(size)}; -o json shows the complete value)`
}

function takeBytes(text: string): string {
  const bytes = Buffer.from(text.slice(0, maxCellBytes)).subarray(0, maxCellBytes)
  // The streaming mode drops an incomplete last character.
  return new TextDecoder().decode(bytes, { stream: true }).replace(/(?:\u200c|\u200d|\ufffd)+$/, '')
}
