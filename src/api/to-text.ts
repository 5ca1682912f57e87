import { writeJson } from './json.ts'

/**
 * Converts a value to text: strings unchanged, empty for null and undefined, JSON for other values. The text
 * may contain control characters.
 */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}
