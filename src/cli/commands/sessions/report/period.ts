import { readDuration } from '../../../../duration.ts'
import { UsageError } from '../../../../errors.ts'
import type { Interval } from '../../../attendance/intervals.ts'

interface PeriodFlags {
  from?: string
  to?: string
}

/**
 * Reads `--from` and `--to` into milliseconds since 1970; infinite if a flag is missing.
 * @throws {UsageError} if a time is not valid, or the order is wrong
 */
export function readSpan({ from, to }: PeriodFlags, now: number): Interval {
  const start = from === undefined ? Number.NEGATIVE_INFINITY : parseMoment('--from', from, now)
  const end = to === undefined ? Number.POSITIVE_INFINITY : parseMoment('--to', to, now)
  if (start >= end)
    throw new UsageError('--from must be earlier than --to', {
      hint: 'a date means 00:00 of that day: for 31 January, pass --from 2026-01-31 --to 2026-02-01',
    })
  return [start, end]
}

const timeOfDay = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<ms>\d{1,3})\d*)?)?`
const absolute = new RegExp(
  String.raw`^(?<day>today|yesterday|(?<year>\d{4})-(?<month>\d\d)-(?<date>\d\d))(?:[T ]${timeOfDay}(?<zone>Z|[+-]\d\d:\d\d)?)?$`,
  'i',
)
const timeOnly = new RegExp(`^${timeOfDay}$`)

/**
 * Parses a time such as `yesterday`, `today 08:00`, `2026-01-31`, `2026-01-31T08:00Z` or `7d` (seven days ago). A day
 * means its start. The default time zone is that of this machine.
 * @throws {UsageError} for any other text
 */
export function parseMoment(flag: string, text: string, now: number): number {
  const ago = readDuration(text)
  if (ago !== undefined) return now - ago
  if (/^now$/i.test(text)) return now
  const { groups } = absolute.exec(text) ?? timeOnly.exec(text) ?? {}
  const moment = groups && toMilliseconds(groups, now)
  if (moment !== undefined) return moment
  throw new UsageError(
    `${flag} must be a date or time such as 2026-01-31, “2026-01-31 08:00”, 2026-01-31T08:00Z, yesterday, “today 08:00” or 7d, not “${text}”`,
  )
}

type Groups = Readonly<Record<string, string | undefined>>

/** Returns undefined for a day or time that does not exist. */
function toMilliseconds(groups: Groups, now: number): number | undefined {
  const { day = 'today', hour = '0', minute = '0', second = '0', ms = '0', zone } = groups
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const today = new Date(now)
  const back = day.toLowerCase() === 'yesterday' ? 1 : 0
  const year = Number(groups['year'] ?? today.getFullYear())
  const month = Number(groups['month'] ?? today.getMonth() + 1) - 1
  const date = Number(groups['date'] ?? today.getDate())
  // Date converts February 30 to March 2.
  if (new Date(Date.UTC(year, month, date)).getUTCMonth() !== month || date === 0) return undefined
  const time = [Number(hour), Number(minute), Number(second), Number(ms.padEnd(3, '0'))] as const
  if (zone === undefined) return new Date(year, month, date - back, ...time).getTime()
  return Date.UTC(year, month, date - back, ...time) - zoneOffset(zone)
}

/** Returns the offset of a zone from UTC, in milliseconds. */
function zoneOffset(zone: string): number {
  if (/^z$/i.test(zone)) return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000
}
