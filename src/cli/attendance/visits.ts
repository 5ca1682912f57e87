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
  /** Minimum time of a person in a meeting who counts as present, in minutes. */
  minMinutes: number
  /** Yields a visit without intervals for each meeting that an invited person missed. */
  absent: boolean
  includeBlocked: boolean
}

/** Time of a person in a meeting, as far as it is in a period. */
export interface Visit {
  person: Person
  meeting: Meeting
  /** First day of the period; 0 without periods. */
  period: number
  intervals: readonly Interval[]
  isPresent: boolean
  /** True if the person was invited and did not come, or not for long enough. */
  isMissed: boolean
}

/**
 * Splits the attendance of a room by meeting, person and period, in this order.
 * @param occupied time during which anybody was in the room
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
          // A meeting is missed once, in its first period.
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
