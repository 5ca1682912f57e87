import { writeJson } from './json.ts'

/**
 * Converts a value to text: JSON for objects and arrays, empty for null. The text may contain control
 * characters.
 */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}
