import { writeJson } from './json.ts'

/** Converts a value to text like `String`, but never calls a `toString` from outside: objects become JSON. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item === null ? '' : textOf(item))).join(',')
  return typeof value === 'object' && value !== null ? writeJson(value) : String(value)
}
