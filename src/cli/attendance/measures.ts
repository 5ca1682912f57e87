import { duration, type Interval } from './intervals.ts'

/** The span from the first to the last moment of a meeting; undefined when there was none. */
export function spanOf(meeting: readonly Interval[]): Interval | undefined {
  const [first, last] = [meeting[0], meeting.at(-1)]
  return first && last && [first[0], last[1]]
}

/** How long it was, in minutes with one decimal. */
export function minutesOf(intervals: readonly Interval[]): number {
  return Math.round(duration(intervals) / 6000) / 10
}

/** Which part of a meeting intervals take, from 0 to 1 with three decimals; null when the meeting has no length. */
export function shareOf(intervals: readonly Interval[], meeting: readonly Interval[]): number | null {
  const whole = duration(meeting)
  return whole === 0 ? null : Math.round((duration(intervals) / whole) * 1000) / 1000
}
