import { writeJson } from './json.ts'

/** Converts null and undefined to an empty text. The result may contain control characters. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : writeJson(value)
}
