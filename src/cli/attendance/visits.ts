import type { PeriodUnit } from '../calendar/period.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import type { Interval } from './intervals.ts'
import { countTenths } from './measures.ts'
import { findMeetings, type Meeting, splitByMeeting, splitByPeriod } from './meetings.ts'
import type { Person } from './people.ts'

export interface VisitOptions {
  zone: TimeZone
  unit?: PeriodUnit | undefined
  /** Shortest pause between two meetings of a room, in milliseconds. */
  gapMs: number
  /** Minimum attendance of a person who counts as present at a meeting, in minutes. */
  minMinutes: number
  /** True to include missed meetings and visits below the minimum. */
  absent: boolean
  includeBlocked: boolean
}

/** Attendance of a person at a meeting, limited to one period. */
export interface Visit {
  person: Person
  meeting: Meeting
  /** Day number of the first day of the period; 0 without periods. */
  period: number
  intervals: readonly Interval[]
  isPresent: boolean
  /** True in the first period of a meeting that an invited person missed or attended too briefly. */
  isMissed: boolean
}

/**
 * Splits the attendance of a room by meeting, person and period, in this order.
 * @param occupied sorted, disjoint intervals in which somebody was in the room
 */
export function* listVisits(
  occupied: readonly Interval[],
  everybody: readonly Person[],
  options: VisitOptions,
): Generator<Visit> {
  const { zone, unit, gapMs, minMinutes, absent, includeBlocked } = options
  const meetings = findMeetings(occupied, gapMs, everybody.find(({ isThere }) => isThere)?.openEnd)
  const people = everybody.map((person) => ({
    person,
    byMeeting: splitByMeeting(person.intervals, meetings),
  }))
  for (const meeting of meetings)
    for (const { person, byMeeting } of people) {
      const intervals = byMeeting.get(meeting)
      const isPresent = intervals !== undefined && countTenths(intervals) >= minMinutes * 10
      const isInvited = person.blocked === false || (person.blocked === true && includeBlocked)
      let isMissed = isInvited && !isPresent
      if (isPresent || (intervals !== undefined && absent))
        for (const [period, parts] of groupByPeriod(intervals, unit, zone)) {
          yield { person, meeting, period, intervals: parts, isPresent, isMissed }
          // A missed meeting counts once, in its first period.
          isMissed = false
        }
      else if (absent && isInvited) {
        const [[period] = [0]] = groupByPeriod([[meeting.start, meeting.start]], unit, zone)
        yield { person, meeting, period, intervals: [], isPresent, isMissed }
      }
    }
}

function groupByPeriod(
  intervals: readonly Interval[],
  unit: PeriodUnit | undefined,
  zone: TimeZone,
): Map<number, Interval[]> {
  if (unit === undefined) return new Map([[0, [...intervals]]])
  const groups = new Map<number, Interval[]>()
  for (const interval of intervals)
    for (const [period, part] of splitByPeriod(interval, unit, zone)) {
      const known = groups.get(period)
      if (known) known.push(part)
      else groups.set(period, [part])
    }
  return groups
}
