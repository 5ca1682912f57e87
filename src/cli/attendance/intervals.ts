/** Time interval in milliseconds since 1970. It includes the start but not the end. */
export type Interval = readonly [start: number, end: number]

/** Merges intervals that overlap or touch, so that overlapping time counts only once. */
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

/** Returns the part of an interval inside another one; undefined if they do not overlap. */
export function clipInterval([start, end]: Interval, [from, to]: Interval): Interval | undefined {
  if (start >= to || (end <= from && start < from)) return undefined
  return [Math.max(start, from), Math.min(end, to)]
}

/** Returns the covered share of each equal piece of a span, from 0 to 1. Even an empty interval adds a minimal share. */
export function computeCoverage(
  intervals: readonly Interval[],
  [from, to]: Interval,
  pieces: number,
): number[] {
  const size = (to - from) / pieces
  const covered = new Array<number>(pieces).fill(0)
  if (size === 0) return covered.fill(intervals.length > 0 ? 1 : 0)
  for (const [start, end] of intervals) {
    const first = Math.min(pieces - 1, Math.max(0, Math.floor((start - from) / size)))
    for (let i = first; i < pieces && (i === first || from + i * size < end); i++) {
      const inside = Math.min(end, from + (i + 1) * size) - Math.max(start, from + i * size)
      covered[i] = Math.min(1, (covered[i] ?? 0) + Math.max(Number.EPSILON, inside / size))
    }
  }
  return covered
}
