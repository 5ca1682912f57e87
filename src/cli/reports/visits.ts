import { addTo } from '../../api/group-by.ts'
import { daysOf, type PeriodUnit } from '../calendar/period.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import { type Interval, lastsMinutes } from './minutes.ts'
import type { Person } from './people.ts'
import type { ReportPlan } from './plan.ts'

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

export interface VisitOptions
  extends Pick<ReportPlan, 'zone' | 'gapMs' | 'minMinutes' | 'absent' | 'includeBlocked'> {
  unit?: PeriodUnit | undefined
}

/** Attendance of a person at a meeting within one period, or missed meetings in a period. */
export interface Visit {
  person: Person
  /** Undefined for missed meetings that are only counted. */
  meeting: Meeting | undefined
  /** Day number of the first day of the period; 0 without periods. */
  period: number
  intervals: readonly Interval[]
  isPresent: boolean
  /** Number of meetings that an invited person missed or attended too briefly. Counts each meeting once. */
  missed: number
}

type Attendance = ReadonlyMap<Meeting, ReadonlyMap<Person, readonly Interval[]>>

/**
 * @param occupied sorted, disjoint intervals
 * @param listsMissed with `absent`: true to yield each missed meeting, false to yield counts
 */
export function* listVisits(
  occupied: readonly Interval[],
  everybody: readonly Person[],
  options: VisitOptions,
  listsMissed = false,
): Generator<Visit> {
  const { zone, unit, gapMs, minMinutes = 0, absent, includeBlocked } = options
  const meetings = findMeetings(occupied, gapMs, everybody.find(({ isThere }) => isThere)?.openEnd)
  const attendance = findAttendance(everybody, meetings)
  for (const [meeting, visitors] of attendance)
    for (const person of absent && listsMissed ? everybody : visitors.keys()) {
      const intervals = visitors.get(person)
      const isPresent = intervals !== undefined && lastsMinutes(intervals, minMinutes)
      const isMissed = absent && isInvited(person, includeBlocked) && !isPresent && isCounted(meeting, person)
      if (intervals && (isPresent || absent))
        for (const [period, parts] of splitByPeriod(intervals, unit, zone))
          yield { person, meeting, period, intervals: parts, isPresent, missed: 0 }
      if (isMissed)
        yield { person, meeting, period: periodOf(meeting, unit, zone), intervals: [], isPresent, missed: 1 }
    }
  if (absent && !listsMissed) {
    const invited = everybody.filter((person) => isInvited(person, includeBlocked))
    yield* countMissed(attendance, invited, options)
  }
}

/** Counts the invited people for whom no meeting counts, because all began before the invitation. */
export function countLate(
  occupied: readonly Interval[],
  everybody: readonly Person[],
  { gapMs, includeBlocked }: Pick<VisitOptions, 'gapMs' | 'includeBlocked'>,
): number {
  const last = findMeetings(occupied, gapMs).at(-1)
  if (!last) return 0
  const absent = everybody.filter(({ intervals }) => intervals.length === 0)
  return absent.filter((person) => isInvited(person, includeBlocked) && !isCounted(last, person)).length
}

function isInvited({ blocked }: Person, includeBlocked: boolean): boolean {
  return blocked === false || (blocked === true && includeBlocked)
}

function isCounted({ start }: Meeting, { countedFrom }: Person): boolean {
  return start >= countedFrom
}

function findAttendance(everybody: readonly Person[], meetings: readonly Meeting[]): Attendance {
  const attendance = new Map(meetings.map((meeting) => [meeting, new Map<Person, Interval[]>()]))
  for (const person of everybody)
    for (const interval of person.intervals) {
      const meeting = meetings[countLeading(meetings, ({ start }) => start <= interval[0]) - 1]
      const visitors = meeting && attendance.get(meeting)
      if (visitors) addTo(visitors, person, interval)
    }
  return attendance
}

/** Counts missed meetings, except those with brief attendance. Avoids a loop over all people and meetings. */
function* countMissed(
  attendance: Attendance,
  invited: readonly Person[],
  { unit, zone }: VisitOptions,
): Generator<Visit> {
  /** Sorted start times of the meetings by period, in milliseconds since 1970. */
  const held = new Map<number, number[]>()
  const attended = new Map(invited.map((person) => [person, new Map<number, number>()]))
  for (const [meeting, visitors] of attendance) {
    const period = periodOf(meeting, unit, zone)
    addTo(held, period, meeting.start)
    for (const person of visitors.keys()) {
      const counts = attended.get(person)
      if (isCounted(meeting, person)) counts?.set(period, (counts.get(period) ?? 0) + 1)
    }
  }
  for (const [person, counts] of attended)
    for (const [period, starts] of held) {
      const early = countLeading(starts, (start) => start < person.countedFrom)
      const missed = starts.length - early - (counts.get(period) ?? 0)
      if (missed > 0) yield { person, meeting: undefined, period, intervals: [], isPresent: false, missed }
    }
}

function periodOf({ start }: Meeting, unit: PeriodUnit | undefined, zone: TimeZone): number {
  return unit === undefined ? 0 : daysOf(unit, zone.dayOf(start))[0]
}

/** @returns intervals by the day number of the period's first day; 0 without periods */
function splitByPeriod(
  intervals: readonly Interval[],
  unit: PeriodUnit | undefined,
  zone: TimeZone,
): Map<number, Interval[]> {
  if (unit === undefined) return new Map([[0, [...intervals]]])
  const parts = new Map<number, Interval[]>()
  for (const [start, end] of intervals) {
    let from = start
    do {
      const [first, next] = daysOf(unit, zone.dayOf(from))
      const to = Math.min(end, zone.startOfDay(next))
      addTo(parts, first, [from, to])
      from = to
    } while (from < end)
  }
  return parts
}
