import { writeJson } from './json.ts'

/**
 * A value as text, as `String` has it, but for objects, which become JSON: `String` would call what a value from outside
 * says its `toString` is.
 */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => (item === null ? '' : textOf(item))).join(',')
  return typeof value === 'object' && value !== null ? writeJson(value) : String(value)
}
