import { writeJson } from './json.ts'

/** Converts a value to text: empty for null, JSON for objects and arrays. The result may hold control characters. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}
