import { parseTimestamp } from '../../../api/readings.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

export const isTimeField = (field: string): boolean => field.endsWith('_at') || field === 'last_seen'

const timestamp = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:\d\d)?$/

const isInstantField = /(^|_)(time|at|seen|active|in|out|start|end|from)$/

/** Formats an ISO 8601 time of a field such as `created_at` to the second. Returns other texts unchanged. */
export function formatToSecond(field: string, text: string, zone?: TimeZone): string {
  const [, time, offset = ''] = (isInstantField.test(field) && timestamp.exec(text)) || []
  if (time === undefined) return text
  const ms = zone && parseTimestamp(text)
  return typeof ms === 'number' ? `${zone?.formatDay(ms)} ${zone?.formatSeconds(ms)}` : `${time}${offset}`
}

export type FormatTime = (timestamp: string) => string | undefined

/** Creates a formatter of times relative to `now` (milliseconds since 1970). Reuse it: creation is slow. */
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
