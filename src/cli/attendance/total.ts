import type { TimeZone } from '../calendar/time-zone.ts'
import { type Interval, mergeIntervals } from './intervals.ts'
import { countTenths } from './measures.ts'
import type { Person } from './people.ts'
import type { Visit } from './visits.ts'

/** Subject of a total. A property is 0 or undefined if the total covers all its values. */
export interface TotalSubject {
  person: Person | undefined
  /** Day number of the first day of the period. */
  period: number
  room: number
  /** Number of the meeting in its room. */
  meeting: number
}

/** Sum of the visits of a person, a meeting, a room or a period. */
export class Total {
  readonly period: number
  readonly room: number
  readonly meeting: number
  /** Key of the person; undefined for a total of several people. */
  readonly key: string | undefined
  readonly user_id: unknown
  /** Blocked state of a member; undefined for other people. */
  readonly blocked: boolean | undefined
  name: unknown = null
  role: unknown = null
  rooms = 0
  meetings = 0
  missed = 0
  isPresent = false
  isInvited = false
  /** Time from which meetings count, in milliseconds since 1970; infinite if unknown. */
  countedFrom = Number.POSITIVE_INFINITY
  /** First entry and last exit, in milliseconds since 1970; infinite if nobody was there. */
  first = Number.POSITIVE_INFINITY
  last = Number.NEGATIVE_INFINITY
  /** True if `last` is not a known exit time. */
  isOpen = false
  isThere = false
  /** Attendance of each participant in each room, in tenths of a minute. */
  #tenths = 0
  #lastRoom = 0
  #lastMeeting = 0
  /** One day, or several. An empty set for each of 100,000 people would take 20 MB. */
  #days: number | Set<number> | undefined
  readonly #participants: Set<string> | undefined
  readonly #intervals: Interval[] = []

  constructor({ person, period, room, meeting }: TotalSubject) {
    this.period = period
    this.room = room
    this.meeting = meeting
    this.key = person?.key
    this.user_id = person?.user_id ?? null
    this.blocked = person?.blocked
    this.#participants = person ? undefined : new Set()
  }

  get participants(): number {
    return this.#participants?.size ?? Math.min(1, this.meetings)
  }

  get days(): number {
    return this.#days instanceof Set ? this.#days.size : Number(this.#days !== undefined)
  }

  /** Sum of the minutes of each participant in each room. */
  get roomMinutes(): number {
    return this.#tenths / 10
  }

  /** Sorted, disjoint intervals in which the person was in at least one room; none for several people. */
  get intervals(): readonly Interval[] {
    return mergeIntervals(this.#intervals)
  }

  /** @param room number of the room, from 1 */
  addVisit(room: number, { person, meeting, intervals, isPresent, missed }: Visit, zone: TimeZone): void {
    if (this.key !== undefined) this.addPerson(person)
    this.isPresent ||= isPresent
    this.missed += missed
    // Visits below the minimum count only in reports by meeting.
    if (!meeting || (!isPresent && this.meeting === 0)) return
    const isNewRoom = this.#lastRoom !== room
    if (isNewRoom) this.rooms++
    if (isNewRoom || this.#lastMeeting !== meeting.number) this.meetings++
    this.#lastRoom = room
    this.#lastMeeting = meeting.number
    this.#participants?.add(person.key)
    this.#tenths += countTenths(intervals)
    for (const interval of intervals) {
      const [start, end] = interval
      const last = zone.dayOf(Math.max(start, end - 1))
      for (let day = zone.dayOf(start); day <= last; day++) this.#addDay(day)
      if (this.key !== undefined) this.#intervals.push(interval)
      this.#addBounds(start, end, person)
    }
  }

  addPerson({ name, role, blocked, countedFrom }: Person): void {
    if (blocked !== undefined) {
      this.isInvited = true
      this.countedFrom = Math.min(this.countedFrom, countedFrom)
    }
    this.name ??= name ?? null
    this.role ??= role ?? null
  }

  #addDay(day: number): void {
    if (this.#days instanceof Set) this.#days.add(day)
    else if (this.#days !== undefined && this.#days !== day) this.#days = new Set([this.#days, day])
    else this.#days = day
  }

  #addBounds(start: number, end: number, { openEnd, isThere }: Person): void {
    const isOpen = openEnd === end
    this.first = Math.min(this.first, start)
    // If an open and an ended visit have the same last time, the open visit decides: the person has not left.
    if (end > this.last) this.isOpen = isOpen
    else if (end === this.last && isOpen) this.isOpen = true
    this.last = Math.max(this.last, end)
    if (isOpen && isThere) this.isThere = true
  }
}
