import { daysOf, type PeriodUnit } from '../calendar/period.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import type { Interval } from './intervals.ts'

export const defaultGapMs = 15 * 60_000

/** Period of presence in a room, in which all pauses are shorter than the gap. */
export interface Meeting {
  /** Number of the meeting among the room's meetings in the report, from 1. */
  number: number
  start: number
  end: number
  intervals: readonly Interval[]
  isRunning: boolean
}

/**
 * Groups intervals of presence in a room into meetings.
 * @param intervals disjoint and sorted
 * @param gapMs shortest pause between two meetings, in milliseconds
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

/** Assigns intervals to their meetings. Both lists must be sorted, and no interval may span two meetings. */
export function splitByMeeting(
  intervals: readonly Interval[],
  meetings: readonly Meeting[],
): Map<Meeting, Interval[]> {
  const split = new Map<Meeting, Interval[]>()
  for (const interval of intervals) {
    const meeting = findLastMeeting(meetings, interval[0])
    if (!meeting) continue
    const known = split.get(meeting)
    if (known) known.push(interval)
    else split.set(meeting, [interval])
  }
  return split
}

/** Finds the last meeting that starts at or before a time. */
function findLastMeeting(meetings: readonly Meeting[], at: number): Meeting | undefined {
  let [low, high] = [0, meetings.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((meetings[middle]?.start ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return meetings[low - 1]
}

/** Splits an interval at the boundaries of days, weeks or months. Yields each part with the first day of its period. */
export function* splitByPeriod(
  [start, end]: Interval,
  unit: PeriodUnit,
  zone: TimeZone,
): Generator<readonly [firstDay: number, interval: Interval]> {
  let from = start
  do {
    const [first, next] = daysOf(unit, zone.dayOf(from))
    const to = Math.min(end, zone.startOfDay(next))
    yield [first, [from, to]]
    from = to
  } while (from < end)
}
