import { parseTimestamp } from '../../../api/readings.ts'

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

export function isTimeField(field: string): boolean {
  return field.endsWith('_at') || field === 'last_seen'
}

const isInstantField = /(^|_)(time|at|seen|in|out|start|end|from)$/

/** Removes the fraction of a second from a timestamp in ISO 8601. Returns other texts unchanged. */
export function cutToSecond(field: string, text: string): string {
  if (!isInstantField.test(field)) return text
  return text.replace(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d+(Z|[+-]\d\d:\d\d)$/, '$1$2')
}

export type FormatTime = (timestamp: string) => string | undefined

/** Creates a reusable formatter of relative times; creation is slow. `now` is in milliseconds since 1970. */
export function createRelativeFormat(now: number): FormatTime {
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  return (timestamp) => {
    const then = parseTimestamp(timestamp)
    if (typeof then !== 'number') return undefined
    const seconds = (then - now) / 1000
    const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
    return format.format(Math.trunc(seconds / size), unit)
  }
}
