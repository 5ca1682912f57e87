import { writeJson } from '../../../api/json.ts'

/** Formats a value as text: empty for null, JSON for objects and arrays. The result may hold control characters. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return writeJson(value)
}
