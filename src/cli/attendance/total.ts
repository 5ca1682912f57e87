import type { TimeZone } from '../calendar/time-zone.ts'
import type { Item } from '../output/views/views.ts'
import { Distinct } from './distinct.ts'
import { type Interval, mergeIntervals } from './intervals.ts'
import { countTenths } from './measures.ts'
import type { Meeting } from './meetings.ts'
import type { Person } from './people.ts'
import type { Visit } from './visits.ts'

/** Subject of a total; empty for all rooms together. */
export interface TotalSubject {
  room: Item | undefined
  roomNumber: number
  person: Pick<Person, 'key' | 'user_id' | 'blocked'> | undefined
  meeting: Meeting | undefined
}

export const everything: TotalSubject = {
  room: undefined,
  roomNumber: 0,
  person: undefined,
  meeting: undefined,
}

/** Sum of the visits of a person, a meeting, a room or a period. */
export class Total {
  rooms = 0
  meetings = 0
  missed = 0
  isPresent = false
  /** True if the person is a member of a room. */
  isInvited = false
  first = Number.POSITIVE_INFINITY
  last = Number.NEGATIVE_INFINITY
  /** True if `last` is not a known exit time. */
  isOpen = false
  isThere = false
  name: unknown = null
  role: unknown = null
  #tenths = 0
  #room: Item | undefined
  #meeting: Meeting | undefined
  /** Distinct people; undefined in the total of one person. */
  readonly #people: Distinct<string> | undefined
  readonly #days = new Distinct<number>()
  /** Alternating starts and ends of a person’s intervals; undefined while `first` and `last` describe the only one. */
  #bounds: number[] | undefined

  /** @param period day number of the first day of the period; 0 without periods */
  constructor(
    readonly period: number,
    readonly of: TotalSubject,
  ) {
    this.#people = of.person ? undefined : new Distinct()
  }

  addVisit(room: Item, { person, meeting, intervals, isPresent, isMissed }: Visit, zone: TimeZone): void {
    this.addPerson(person)
    this.isPresent ||= isPresent
    if (isMissed) this.missed++
    // Visits below the minimum count only in reports by meeting.
    if (!isPresent && !this.of.meeting) return
    if (room !== this.#room) this.rooms++
    if (meeting !== this.#meeting) this.meetings++
    this.#room = room
    this.#meeting = meeting
    this.#people?.add(person.key)
    this.#tenths += countTenths(intervals)
    for (const [start, end] of intervals) {
      this.#addDays(start, end, zone)
      if (this.of.person) this.#addInterval(start, end)
      this.#addBounds(start, end, person)
    }
  }

  addPerson({ name, role, blocked }: Person): void {
    this.isInvited ||= blocked !== undefined
    this.name ??= name
    this.role ??= role
  }

  get participants(): number {
    return this.#people?.size ?? Math.min(1, this.meetings)
  }

  get days(): number {
    return this.#days.size
  }

  /** Sum of the minutes of each participant in each room. */
  get roomMinutes(): number {
    return this.#tenths / 10
  }

  /** Sorted, disjoint intervals in which the person was in at least one room. */
  get intervals(): readonly Interval[] {
    if (!this.of.person || this.first > this.last) return []
    const bounds = this.#bounds ?? [this.first, this.last]
    const intervals: Interval[] = []
    for (let i = 0; i < bounds.length; i += 2) intervals.push([bounds[i] ?? 0, bounds[i + 1] ?? 0])
    return mergeIntervals(intervals)
  }

  #addDays(start: number, end: number, zone: TimeZone): void {
    const last = zone.dayOf(Math.max(start, end - 1))
    for (let day = zone.dayOf(start); day <= last; day++) this.#days.add(day)
  }

  #addBounds(start: number, end: number, { openEnd, isThere }: Person): void {
    const isOpen = openEnd === end
    this.first = Math.min(this.first, start)
    // If two visits end at the same time, an open one determines the exit.
    if (end > this.last) this.isOpen = isOpen
    else if (end === this.last) this.isOpen ||= isOpen
    this.last = Math.max(this.last, end)
    this.isThere ||= isOpen && isThere
  }

  /** Adds an interval. Call before `#addBounds`, which changes `first` and `last`. */
  #addInterval(start: number, end: number): void {
    if (this.first > this.last) return
    this.#bounds ??= [this.first, this.last]
    this.#bounds.push(start, end)
  }
}
