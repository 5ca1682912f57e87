import { UsageError } from '../errors.ts'
import { toText } from './to-text.ts'

/** Pattern of common generated IDs: 24 hexadecimal digits, or a UUID. */
export const idPattern = /^([0-9a-f]{24}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i

/**
 * Rejects `.` and `..`, because URL parsers would turn `DELETE /rooms/..` into `DELETE /`.
 * @throws {UsageError} if a value cannot be a path segment
 */
export function fillPath(template: string, params: Readonly<Record<string, string>>): string {
  if (!template.includes('{')) return template
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeSegment(name, params[name] ?? ''))
  const parsed = new URL(`http://host${path}`)
  if (parsed.pathname !== path) throw new UsageError(`${template}: an ID is not a valid path segment`)
  return path
}

function encodeSegment(name: string, value: string): string {
  const problem = findSegmentProblem(name, value)
  if (problem !== undefined) throw new UsageError(problem)
  return encodeURIComponent(value)
}

export function findSegmentProblem(name: string, value: string): string | undefined {
  const what = () => (name === 'id' ? 'room ID' : name.replace('_id', ' ID'))
  if (value === '') return `the ${what()} is empty`
  if (value === '.' || value === '..') return `“${value}” is not a valid ${what()}`
  if (/\p{Cc}/u.test(value)) return `the ${what()} contains a control character`
  return value.isWellFormed() ? undefined : `the ${what()} is not valid Unicode`
}

/**
 * Returns true for a path with `.` or `..` segments, even encoded. URL parsers treat a backslash as a slash.
 */
export function hasDotSegment(path: string): boolean {
  return path.split(/[/\\]/).some((part) => /^(\.|%2e){1,2}$/i.test(part))
}

function toQueryText(value: unknown): string {
  if (Array.isArray(value)) return value.map((item) => toText(item)).join(',')
  return value === null ? 'null' : toText(value)
}

/** @throws {UsageError} if a name or a value is not valid Unicode */
export function formatQueryString(query?: Readonly<Record<string, unknown>>): string {
  if (query === undefined) return ''
  const pairs = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => {
      const text = toQueryText(value)
      if (!`${name}${text}`.isWellFormed()) throw new UsageError(`the value of ${name} is not valid Unicode`)
      return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`
    })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
