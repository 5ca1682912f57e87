import { readDuration } from '../../duration.ts'
import { dayNumber, type TimeZone } from './time-zone.ts'

export const momentExamples =
  "2026-01-31, '2026-01-31 08:00', 2026-01-31T08:00Z, yesterday, 'today 08:00' or 7d"

const timeOfDay = String.raw`(?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<ms>\d{1,3})\d*)?)?`
const absolute = new RegExp(
  String.raw`^(?<word>today|yesterday|(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d))(?:[T ]${timeOfDay}(?<offset>Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$`,
  'i',
)
const timeOnly = new RegExp(`^${timeOfDay}$`)

/** Instant or whole day, in milliseconds since 1970. */
export interface Moment {
  start: number
  /** First instant after the day; undefined if the moment is not a day. */
  end?: number
}

/**
 * Parses a time such as `today 08:00` or `7d` (seven days ago).
 * @param zone zone of dates, and of times without an offset
 */
export function parseMoment(text: string, now: number, zone: TimeZone): Moment | undefined {
  const ago = readDuration(text)
  if (ago !== undefined) return { start: now - ago }
  if (/^now$/i.test(text)) return { start: now }
  const { groups } = absolute.exec(text) ?? timeOnly.exec(text) ?? {}
  return groups && toMoment(groups, now, zone)
}

/**
 * Returns true for text in the format of a date or time, even for a nonexistent date such as `2026-02-30`.
 */
export const isMissingMoment = (text: string): boolean => absolute.test(text) || timeOnly.test(text)

type Groups = Readonly<Record<string, string | undefined>>

function toMoment(groups: Groups, now: number, zone: TimeZone): Moment | undefined {
  const { word = 'today', hour, minute = '0', second = '0', ms = '0', offset } = groups
  if (Number(hour ?? 0) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const isYesterday = word.toLowerCase() === 'yesterday'
  const [year, month, date] = [groups['year'], groups['month'], groups['day']].map(Number)
  const day =
    groups['year'] === undefined
      ? zone.dayOf(now) - (isYesterday ? 1 : 0)
      : dayNumber(year ?? 0, month ?? 0, date ?? 0)
  if (day === undefined) return undefined
  if (hour === undefined) return { start: zone.startOfDay(day), end: zone.startOfDay(day + 1) }
  const time = {
    ...{ year: 1970, month: 1, day: day + 1 },
    ...{ hour: Number(hour), minute: Number(minute), second: Number(second) },
    ms: Number(ms.padEnd(3, '0')),
  }
  if (offset === undefined) return { start: zone.instantOf(time) }
  const wall = Date.UTC(1970, 0, day + 1, time.hour, time.minute, time.second, time.ms)
  return { start: wall - readOffset(offset) }
}

function readOffset(text: string): number {
  if (/^z$/i.test(text)) return 0
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(4))
  return (text.startsWith('-') ? -minutes : minutes) * 60_000
}
