import { UsageError } from '../../../../errors.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { requireMoment } from '../../../calendar/moment.ts'
import { parsePeriod, periodExamples } from '../../../calendar/period.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'

interface SpanFlags {
  from?: string
  to?: string
  period?: string
}

/**
 * Converts `--period`, or `--from` and `--to`, to milliseconds since 1970. A missing flag means infinity.
 * @throws {UsageError} if a time is invalid, or `--from` is not before `--to`
 */
export function readSpan({ from, to, period }: SpanFlags, now: number, zone: TimeZone): Interval {
  if (period !== undefined) {
    if (from !== undefined || to !== undefined)
      throw new UsageError('pass either --period, or --from and --to', {
        hint: 'for a part of a month, pass --from and --to',
      })
    return requirePeriod('--period', period, now, zone)
  }
  const start = from === undefined ? Number.NEGATIVE_INFINITY : requireMoment('--from', from, now, zone)
  const end = to === undefined ? Number.POSITIVE_INFINITY : requireMoment('--to', to, now, zone)
  if (start >= end)
    throw new UsageError('--from must be earlier than --to', {
      hint: 'a date means 00:00 of that day: for 31 January, pass --from 2026-01-31 --to 2026-02-01',
    })
  return [start, end]
}

/** @throws {UsageError} for an invalid period */
function requirePeriod(flag: string, text: string, now: number, zone: TimeZone): Interval {
  const span = parsePeriod(text, now, zone)
  if (!span) throw new UsageError(`${flag} must be ${periodExamples}, not “${text}”`)
  return span
}
