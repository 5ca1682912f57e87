import type { Interval } from './minutes.ts'

/** Period of presence in a room, with every pause shorter than `--gap`. */
export interface Meeting {
  /** Number of the meeting among the room's meetings in the report, from 1. */
  number: number
  start: number
  end: number
  intervals: readonly Interval[]
  isRunning: boolean
}

/**
 * @param intervals disjoint and sorted
 * @param gapMs shortest pause between two meetings
 * @param runningUntil assumed end of running intervals, in milliseconds since 1970
 */
export function findMeetings(
  intervals: readonly Interval[],
  gapMs: number,
  runningUntil?: number,
): Meeting[] {
  const groups: Interval[][] = []
  for (const interval of intervals) {
    const last = groups.at(-1)
    const end = last?.at(-1)?.[1]
    if (last && end !== undefined && interval[0] - end < gapMs) last.push(interval)
    else groups.push([interval])
  }
  return groups.map((group, i) => {
    const [start = Number.NaN, end = Number.NaN] = [group[0]?.[0], group.at(-1)?.[1]]
    return { number: i + 1, start, end, intervals: group, isRunning: end === runningUntil }
  })
}

/** Counts the leading items that match, by binary search. All matching items must come first. */
export function countLeading<T>(items: readonly T[], matches: (item: T) => boolean): number {
  let [low, high] = [0, items.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (matches(items[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}
