import { findClosest } from '../../api/closest.ts'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import { findNearDuration, readDuration } from '../../duration.ts'
import { UsageError } from '../../errors.ts'
import { isMissingMoment, momentExamples, parseMoment } from './moment.ts'
import { parsePeriod, periodExamples, periodWords } from './period.ts'
import { dayNumber, formatDayNumber, type TimeZone } from './time-zone.ts'

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september'],
  ...['october', 'november', 'december'],
]
const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** @throws {UsageError} for an invalid time */
export function requireMoment(flag: string, text: string, now: number, zone: TimeZone): number {
  const moment = parseMoment(text, now, zone)
  if (!moment)
    throw toMomentError(`${flag} must be a date or time such as ${momentExamples}`, text, now, zone)
  return moment.start
}

export function toMomentError(required: string, text: string, now: number, zone: TimeZone): UsageError {
  if (isMissingMoment(text)) return new UsageError(`${required}, not “${text}”, which does not exist`)
  const [near, ...others] = findNearMoments(text, now, zone)
  const details =
    near === undefined
      ? {}
      : others.length > 0
        ? { hint: `the order of day and month is unclear: ${[near, ...others].join(' or ')}?` }
        : { correction: [text, near] as const }
  return new UsageError(`${required}, not “${text}”`, details)
}

/** Flag and its text; undefined if the flag is missing. */
type Bound = readonly [flag: string, text: string | undefined]

/**
 * Converts flags to milliseconds since 1970. A missing start or end is infinite.
 * @throws {UsageError} for invalid or conflicting flags
 */
export function requireSpan(
  { start: [from, first], end: [to, last], period }: { start: Bound; end: Bound; period: string | undefined },
  now: number,
  zone: TimeZone,
): readonly [start: number, end: number] {
  if (period !== undefined) {
    if (first !== undefined || last !== undefined)
      throw createFlagConflict('--period', first === undefined ? to : from, {
        hint: `for another period, pass ${from} and ${to}`,
      })
    const span = parsePeriod(period, now, zone)
    if (span) return span
    const error = toPeriodError(`--period must be ${periodExamples}`, period, [now, zone])
    error.hint = `for another period, pass ${from} and ${to}`
    throw error
  }
  const start = first === undefined ? Number.NEGATIVE_INFINITY : requireMoment(from, first, now, zone)
  const end = last === undefined ? Number.POSITIVE_INFINITY : requireMoment(to, last, now, zone)
  if (start >= end)
    throw new UsageError(`${from} must be earlier than ${to} ${last}, not “${first}”`, {
      hint: `a date means 00:00 of that day: for 31 January, pass ${from} 2026-01-31 ${to} 2026-02-01`,
    })
  return [start, end]
}

/** Suggests a correction only if the correction matches `accepted`. */
export function toPeriodError(
  required: string,
  text: string,
  [now, zone]: readonly [number, TimeZone],
  accepted = /./,
): UsageError {
  const near = findNearPeriod(text, now, zone)
  const isNear = near !== undefined && accepted.test(near)
  return new UsageError(`${required}, not “${text}”`, isNear ? { correction: [text, near] } : {})
}

const dateAndTime =
  /^(.*?)(?:(?:[t ]| at )(\d{1,2}(?:(?::\d\d?){1,2} ?(?:[ap]m)?| ?[ap]m)(?:z|[+-]\d\d:?\d\d)?))?$/

function findNearMoments(text: string, now: number, zone: TimeZone): readonly string[] {
  const words = text.trim().toLowerCase()
  const elapsed = words.replace(/ ago$/, '').replace(/^(?:today|now) ?- ?/, '')
  const ago = elapsed !== words && readDuration(elapsed) !== undefined ? elapsed : findNearDuration(elapsed)
  const [, date = '', time] = dateAndTime.exec(words) ?? []
  const clock = time === undefined ? undefined : readClock(time)
  const days = readDays(date, zone.dayOf(now))
  const own = readClock(words)
  const found = [
    ...(ago === undefined ? [] : [ago]),
    ...days.map((day) => (time === undefined ? day : `${day} ${clock}`)),
    ...(own === undefined ? [] : [own]),
    ...(/^1\d{9}(\d{3})?$/.test(words)
      ? [new Date(Number(words.padEnd(13, '0'))).toISOString().replace('.000', '')]
      : []),
  ]
  return [...new Set(found)].filter((near) => near !== text && parseMoment(near, now, zone) !== undefined)
}

const numberOfMonth = (word: string) =>
  word.length < 3 ? 0 : months.findIndex((month) => month.startsWith(word)) + 1

function readClock(text: string): string | undefined {
  const [, hour = '', minute = '0', rest = '', half, offset = ''] =
    /^(\d{1,2})(?::(\d{1,2}))?(:\d\d)? ?(am|pm)?(z|[+-]\d\d:?\d\d)?$/.exec(text) ?? []
  if (hour === '' || (half === undefined && !text.includes(':'))) return undefined
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half === 'pm' ? 12 : 0)
  const zone = offset.toUpperCase().replace(/^([+-]\d\d):?(\d\d)$/, '$1:$2')
  return `${String(hours).padStart(2, '0')}:${minute.padStart(2, '0')}${rest}${zone}`
}

/** Finds the meanings of a date in another notation, such as two dates for `3/4/2026`. */
function readDays(text: string, today: number): readonly string[] {
  const day = (...[year, month, date]: readonly (string | undefined)[]) => {
    const number = dayNumber(Number(year?.length === 2 ? `20${year}` : year), Number(month), Number(date))
    return number === undefined ? [] : [formatDayNumber(number)]
  }
  const [, y, m, d] = /^(\d{4})[-./ ]?(\d{1,2})[-./ ]?(\d{1,2})\.?$/.exec(text) ?? []
  if (y !== undefined) return day(y, m, d)
  const [, one, mark, other, year] = /^(\d{1,2})([-./])(\d{1,2})\2(\d{4}|\d\d)$/.exec(text) ?? []
  // Dates with full stops begin with the day or the year.
  if (mark === '.') return day(year, other, one)
  if (year?.length === 4) return [...new Set([...day(year, other, one), ...day(year, one, other)])]
  const [, first, month = '', second, ofYear] =
    /^(?:(\d{1,2})(?:st|nd|rd|th|\.)? )?([a-z]{3,})\.?(?: (\d{1,2})(?:st|nd|rd|th)?)?,? (\d{4})$/.exec(
      text,
    ) ?? []
  const number = numberOfMonth(month)
  if (number > 0 && (first ?? second) !== undefined) return day(ofYear, String(number), first ?? second)
  const weekday = weekdays.findIndex((name) => new RegExp(`^(last )?${name}[a-z]*day$`).test(text))
  // Day 0 is 1970-01-01, a Thursday.
  if (weekday >= 0) return [formatDayNumber(today - (((today + 3 - weekday + 6) % 7) + 1))]
  if (text === 'tomorrow') return [formatDayNumber(today + 1)]
  return [findClosest(text, ['today', 'yesterday', 'tomorrow'])].filter((word) => word !== undefined)
}

/** Finds the probable meaning of an invalid period, such as `2026-10` for `10/2026`. */
function findNearPeriod(text: string, now: number, zone: TimeZone): string | undefined {
  const words = text.trim().toLowerCase()
  const [, month, year] = /^(\d{1,2})[-./ ](\d{4})$/.exec(words) ?? []
  const [, first = year, second = month] = /^(\d{4})[-./ ](\d{1,2})(?:[-./]\d{1,2})?$/.exec(words) ?? []
  const [, name = '', ofYear] = /^([a-z]{3,})\.?(?: (\d{4}))?$/.exec(words) ?? []
  const [, weekYear, week] = /^(\d{4})[-./ ]?(?:k?w|week) ?(\d{1,2})$/.exec(words) ?? []
  const number = numberOfMonth(name)
  const today = formatDayNumber(zone.dayOf(now))
  const past = Number(today.slice(0, 4)) - (number > Number(today.slice(5, 7)) ? 1 : 0)
  const near =
    (week && `${weekYear}-W${week.padStart(2, '0')}`) ??
    findClosest(words, periodWords) ??
    (number > 0
      ? `${ofYear ?? past}-${String(number).padStart(2, '0')}`
      : first && second && `${first}-${second.padStart(2, '0')}`)
  return near && near !== text && parsePeriod(near, now, zone) ? near : undefined
}
