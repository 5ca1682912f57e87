import { writeJson } from './json.ts'

/** Returns text that may contain control characters. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}
