import { writeJson } from '../../../api/json.ts'

/** A value as text without any decoration: blank for null, JSON for what has structure. Not yet safe to show. */
export function plainText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  return writeJson(value)
}
