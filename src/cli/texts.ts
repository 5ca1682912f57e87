import { isObject } from './assignments.ts'

/** A value with all its texts replaced, however deep they are. */
export function withTexts(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === 'string') return replace(value)
  if (Array.isArray(value)) return value.map((item) => withTexts(item, replace))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, held]) => [name, withTexts(held, replace)]))
}
