import { type Interval, totalLength } from './intervals.ts'

export function computeSpan(meeting: readonly Interval[]): Interval | undefined {
  const [first, last] = [meeting[0], meeting.at(-1)]
  return first && last && [first[0], last[1]]
}

/** Returns the length of disjoint intervals, in minutes with one decimal. */
export function computeMinutes(intervals: readonly Interval[]): number {
  return Math.round(totalLength(intervals) / 6000) / 10
}

/** A tenth of a minute, in milliseconds. */
const tenthMs = 6000

/**
 * Returns the length of disjoint intervals in tenths of a minute. Rounds boundaries instead of lengths, so that the
 * parts of an interval always add up to the whole.
 */
export function countTenths(intervals: readonly Interval[]): number {
  const round = (ms: number) => Math.round(ms / tenthMs)
  return intervals.reduce((sum, [start, end]) => sum + round(end) - round(start), 0)
}

/** Returns the covered share of a meeting, from 0 to 1 with three decimals; null for a meeting without duration. */
export function computeShare(intervals: readonly Interval[], meeting: readonly Interval[]): number | null {
  const whole = totalLength(meeting)
  return whole === 0 ? null : Math.round((totalLength(intervals) / whole) * 1000) / 1000
}
