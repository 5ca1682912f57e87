import { dayNumber, formatDayNumber, type TimeZone } from './time-zone.ts'

export const periodUnits = ['day', 'week', 'month'] as const
export type PeriodUnit = (typeof periodUnits)[number]

export const periodWords = [
  'today',
  'yesterday',
  'this-week',
  'last-week',
  'this-month',
  'last-month',
] as const

export const periodExamples = `${periodWords.join(', ')}, 2026-10-07 (day), 2026-W41 (ISO week) or 2026-10 (month)`

/** Days since 1970-01-01: the first day, and the day after the last day. */
type Days = readonly [first: number, end: number]

/** Returns milliseconds since 1970; undefined for an invalid period. */
export function parsePeriod(
  text: string,
  now: number,
  zone: TimeZone,
): readonly [start: number, end: number] | undefined {
  const days = readDays(text.toLowerCase(), zone.dayOf(now))
  return days && [zone.startOfDay(days[0]), zone.startOfDay(days[1])]
}

function readDays(text: string, today: number): Days | undefined {
  if (text === 'today') return daysOf('day', today)
  if (text === 'yesterday') return daysOf('day', today - 1)
  for (const unit of ['week', 'month'] as const) {
    if (text === `this-${unit}`) return daysOf(unit, today)
    if (text === `last-${unit}`) return daysOf(unit, daysOf(unit, today)[0] - 1)
  }
  const [, ofYear, week] = /^(\d{4})-w(\d\d)$/.exec(text) ?? []
  if (week !== undefined) {
    // In ISO 8601, 4 January is in week 1.
    const [monday] = daysOf('week', (dayNumber(Number(ofYear), 1, 4) ?? 0) + 7 * (Number(week) - 1))
    return labelOf('week', monday) === text.toUpperCase() ? daysOf('week', monday) : undefined
  }
  const [, year, month, date] = /^(\d{4})-(\d\d)(?:-(\d\d))?$/.exec(text) ?? []
  const first = year === undefined ? undefined : dayNumber(Number(year), Number(month), Number(date ?? 1))
  return first === undefined ? undefined : daysOf(date === undefined ? 'month' : 'day', first)
}

/** Describes a span in milliseconds since 1970, as in ` in 2026-10`. */
export function describePeriod([start, end]: readonly [start: number, end: number], zone: TimeZone): string {
  const isMidnight = (ms: number) => zone.startOfDay(zone.dayOf(ms)) === ms
  const format = (ms: number) => zone.formatDay(ms) + (isMidnight(ms) ? '' : ` ${zone.formatClock(ms)}`)
  if (end === Infinity) return start === -Infinity ? '' : ` since ${format(start)}`
  if (start === -Infinity) return ` before ${format(end)}`
  if (!isMidnight(start) || !isMidnight(end)) return ` from ${format(start)} to ${format(end)}`
  const [first, next] = [zone.dayOf(start), zone.dayOf(end)]
  if (daysOf('month', first).join() === `${first},${next}`) return ` in ${labelOf('month', first)}`
  if (next - first === 1) return ` on ${formatDayNumber(first)}`
  return ` from ${formatDayNumber(first)} to ${formatDayNumber(next - 1)}`
}

/** Returns the day, week or month that contains a day. Weeks begin on Monday. */
export function daysOf(unit: PeriodUnit, day: number): Days {
  if (unit === 'day') return [day, day + 1]
  if (unit === 'week') {
    const monday = day - weekdayOf(day)
    return [monday, monday + 7]
  }
  const [year, month] = readMonth(day)
  const next = month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1)
  return [dayNumber(year, month, 1) ?? day, next ?? day + 1]
}

/** Formats the day, week or month that contains a day, as in `2026-W41`. */
export function labelOf(unit: PeriodUnit, day: number): string {
  if (unit === 'day') return formatDayNumber(day)
  if (unit === 'month') return formatDayNumber(day).slice(0, 7)
  // In ISO 8601, a week belongs to the year of its Thursday.
  const thursday = day - weekdayOf(day) + 3
  const [year] = readMonth(thursday)
  const week = Math.floor((thursday - (dayNumber(year, 1, 1) ?? 0)) / 7) + 1
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`
}

/** Returns 0 for Monday to 6 for Sunday. Day 0, 1970-01-01, is a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7
}

function readMonth(day: number): [year: number, month: number] {
  const date = new Date(day * 86_400_000)
  return [date.getUTCFullYear(), date.getUTCMonth() + 1]
}
