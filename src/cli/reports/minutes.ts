/** Time interval in milliseconds since 1970. The interval includes the start but not the end. */
export type Interval = readonly [start: number, end: number]

export const unlimited: Interval = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

export function mergeIntervals(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = []
  for (const [start, end] of intervals.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged
}

export function totalLength(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, [start, end]) => sum + end - start, 0)
}

export function clipInterval([start, end]: Interval, [from, to]: Interval): Interval | undefined {
  if (start >= to || (end <= from && start < from)) return undefined
  return [Math.max(start, from), Math.min(end, to)]
}

/** Returns the span of sorted, disjoint intervals; undefined if there are none. */
export function computeSpan(intervals: readonly Interval[]): Interval | undefined {
  const [first, last] = [intervals[0], intervals.at(-1)]
  return first && last && [first[0], last[1]]
}

/** Tenth of a minute, in milliseconds. */
const tenthMs = 6000

/** Formats minutes as in `1,234.5`. */
export function formatMinutes(minutes: number): string {
  return minutes.toFixed(1).replace(/\B(?=(\d{3})+\.)/g, ',')
}

/** Returns the length of disjoint intervals, in minutes with one decimal. */
export function computeMinutes(intervals: readonly Interval[]): number {
  return countTenths(intervals) / 10
}

/** Compares exact lengths, so that rounding does not decide who was present. */
export function lastsMinutes(intervals: readonly Interval[], minutes: number): boolean {
  return totalLength(intervals) >= minutes * 10 * tenthMs
}

/**
 * Rounds boundaries instead of lengths, so that the parts of an interval add up to the whole in each report.
 * @param intervals disjoint
 * @returns length in tenths of a minute
 */
export function countTenths(intervals: readonly Interval[]): number {
  const round = (ms: number) => Math.round(ms / tenthMs)
  return intervals.reduce((sum, [start, end]) => sum + round(end) - round(start), 0)
}

/** Returns a share from 0 to 1; null for a meeting without duration. */
export function computeShare(ms: number, meeting: readonly Interval[]): number | null {
  const whole = totalLength(meeting)
  return whole === 0 ? null : Math.round((ms / whole) * 1000) / 1000
}
