import type { TimeZone } from '../calendar/time-zone.ts'
import { CompactRecords } from '../compact/records.ts'
import { CompactTexts } from '../compact/texts.ts'
import { CompactTuples } from '../compact/tuples.ts'
import { CompactValues } from '../compact/values.ts'
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
export interface Total {
  period: number
  room: number
  meeting: number
  isOfPerson: boolean
  user_id: unknown
  /** Blocked state of a member; undefined for other people. */
  blocked: boolean | undefined
  name: unknown
  role: unknown
  rooms: number
  participants: number
  days: number
  meetings: number
  missed: number
  /** Sum of the minutes of each participant in each room. */
  roomMinutes: number
  isPresent: boolean
  /** Time from which meetings count, in milliseconds since 1970; infinite if unknown. */
  countedFrom: number
  /** First entry and last exit, in milliseconds since 1970; infinite if nobody was there. */
  first: number
  last: number
  /** True if `last` is not a known exit time. */
  isOpen: boolean
  isThere: boolean
  /** Sorted, disjoint intervals in which the person was in at least one room. */
  intervals: readonly Interval[]
}

const keyFields = { period: 0, person: 1, room: 2, meeting: 3 }
const times = { first: 0, last: 1, tenths: 2, countedFrom: 3 }
const counts = {
  ...{ rooms: 0, participants: 1, days: 2, meetings: 3, missed: 4, flags: 5 },
  ...{ user_id: 6, name: 7, role: 8, lastRoom: 9, lastMeeting: 10, lastInterval: 11 },
}
const intervalFields = { start: 0, end: 1, before: 2 }
const flags = { isPresent: 1, isOpen: 2, isThere: 4, isInvited: 8, isMember: 16, isBlocked: 32 }

/** Compact store for totals of up to millions of people. Objects would take three times the memory. */
export class TotalStore {
  readonly #zone: TimeZone
  readonly #people: CompactTexts
  readonly #sharesPeople: boolean
  readonly #keys = new CompactTuples(4)
  readonly #times = new CompactRecords('float', 4)
  readonly #counts = new CompactRecords('integer', 12)
  readonly #values = new CompactValues()
  /** Pairs of a total and a person, for totals of several people. */
  readonly #participants = new CompactTuples(2)
  readonly #days = new CompactTuples(2)
  /** Intervals of people, each linked to the previous one. Empty while `first` and `last` describe the only interval. */
  readonly #intervals = new CompactRecords('float', 3)

  /** @param people keys of people, which several stores can share */
  constructor(zone: TimeZone, people?: CompactTexts) {
    this.#zone = zone
    this.#people = people ?? new CompactTexts()
    this.#sharesPeople = people !== undefined
  }

  get size(): number {
    return this.#keys.size
  }

  /** Finds or adds the total of a subject. */
  place({ person, period, room, meeting }: TotalSubject): number {
    const key = person ? this.#people.place(person.key) + 1 : 0
    const before = this.size
    const total = this.#keys.place(period, key, room, meeting)
    if (this.size === before) return total
    this.#times.create()
    this.#counts.create()
    this.#times.set(total, times.first, Number.POSITIVE_INFINITY)
    this.#times.set(total, times.last, Number.NEGATIVE_INFINITY)
    this.#times.set(total, times.countedFrom, Number.POSITIVE_INFINITY)
    if (!person) return total
    this.#counts.set(total, counts.user_id, this.#values.place(person.user_id))
    if (person.blocked !== undefined) this.#flag(total, flags.isMember)
    if (person.blocked) this.#flag(total, flags.isBlocked)
    return total
  }

  addVisit(total: number, room: number, visit: Visit): void {
    const { person, meeting, intervals, isPresent, missed } = visit
    const isOfPerson = this.#keys.get(total, keyFields.person) !== 0
    if (isOfPerson) this.addPerson(total, person)
    if (isPresent) this.#flag(total, flags.isPresent)
    this.#counts.add(total, counts.missed, missed)
    // Visits below the minimum count only in reports by meeting.
    if (!meeting || (!isPresent && this.#keys.get(total, keyFields.meeting) === 0)) return
    const isNewRoom = this.#counts.get(total, counts.lastRoom) !== room
    if (isNewRoom) this.#counts.add(total, counts.rooms, 1)
    if (isNewRoom || this.#counts.get(total, counts.lastMeeting) !== meeting.number)
      this.#counts.add(total, counts.meetings, 1)
    this.#counts.set(total, counts.lastRoom, room)
    this.#counts.set(total, counts.lastMeeting, meeting.number)
    if (!isOfPerson && this.#participants.add(total, this.#people.place(person.key)))
      this.#counts.add(total, counts.participants, 1)
    this.#times.add(total, times.tenths, countTenths(intervals))
    for (const interval of intervals) {
      this.#addDays(total, interval)
      if (isOfPerson) this.#addInterval(total, interval)
      this.#addBounds(total, interval, person)
    }
  }

  addPerson(total: number, { name, role, blocked, countedFrom }: Person): void {
    if (blocked !== undefined) {
      this.#flag(total, flags.isInvited)
      const earliest = Math.min(this.#times.get(total, times.countedFrom), countedFrom)
      this.#times.set(total, times.countedFrom, earliest)
    }
    for (const [field, value] of [
      [counts.name, name],
      [counts.role, role],
    ] as const)
      if (this.#counts.get(total, field) === 0 && value !== undefined)
        this.#counts.set(total, field, this.#values.place(value))
  }

  isInvited(total: number): boolean {
    return this.#has(total, flags.isInvited)
  }

  /** Returns the key of a person; empty for a total of several people. */
  keyOf(total: number): string {
    const key = this.#keys.get(total, keyFields.person) >>> 0
    return key === 0 ? '' : this.#people.textAt(key - 1)
  }

  isAnonymous(total: number): boolean {
    return this.#counts.get(total, counts.user_id) === 0
  }

  get(total: number, field: 'period' | 'room' | 'meeting'): number {
    return this.#keys.get(total, keyFields[field])
  }

  count(total: number, field: 'meetings' | 'missed'): number {
    return this.#counts.get(total, counts[field])
  }

  time(total: number, field: 'first' | 'last'): number {
    return this.#times.get(total, times[field])
  }

  roomMinutesOf(total: number): number {
    return this.#times.get(total, times.tenths) / 10
  }

  read(total: number): Total {
    const value = (field: number) => this.#values.valueAt(this.#counts.get(total, field))
    const count = (field: number) => this.#counts.get(total, field)
    const isOfPerson = this.#keys.get(total, keyFields.person) !== 0
    const meetings = count(counts.meetings)
    return {
      ...{ period: this.get(total, 'period'), room: this.get(total, 'room') },
      ...{ meeting: this.get(total, 'meeting'), isOfPerson, meetings },
      ...{ user_id: value(counts.user_id), name: value(counts.name), role: value(counts.role) },
      blocked: this.#has(total, flags.isMember) ? this.#has(total, flags.isBlocked) : undefined,
      ...{ rooms: count(counts.rooms), days: count(counts.days), missed: count(counts.missed) },
      participants: isOfPerson ? Math.min(1, meetings) : count(counts.participants),
      ...{ roomMinutes: this.roomMinutesOf(total), isPresent: this.#has(total, flags.isPresent) },
      ...{ first: this.time(total, 'first'), last: this.time(total, 'last') },
      countedFrom: this.#times.get(total, times.countedFrom),
      ...{ isOpen: this.#has(total, flags.isOpen), isThere: this.#has(total, flags.isThere) },
      intervals: isOfPerson ? this.#readIntervals(total) : [],
    }
  }

  clear(): void {
    for (const part of [this.#keys, this.#times, this.#counts, this.#participants]) part.clear()
    for (const part of [this.#days, this.#intervals, this.#values]) part.clear()
    if (!this.#sharesPeople) this.#people.clear()
  }

  #has(total: number, flag: number): boolean {
    return (this.#counts.get(total, counts.flags) & flag) !== 0
  }

  #flag(total: number, flag: number, isSet = true): void {
    const before = this.#counts.get(total, counts.flags)
    this.#counts.set(total, counts.flags, isSet ? before | flag : before & ~flag)
  }

  #addDays(total: number, [start, end]: Interval): void {
    const last = this.#zone.dayOf(Math.max(start, end - 1))
    for (let day = this.#zone.dayOf(start); day <= last; day++)
      if (this.#days.add(total, day)) this.#counts.add(total, counts.days, 1)
  }

  #addBounds(total: number, [start, end]: Interval, { openEnd, isThere }: Person): void {
    const isOpen = openEnd === end
    const last = this.time(total, 'last')
    this.#times.set(total, times.first, Math.min(this.time(total, 'first'), start))
    // If an open and an ended visit have the same last time, the open visit decides: the person has not left.
    if (end > last) this.#flag(total, flags.isOpen, isOpen)
    else if (end === last && isOpen) this.#flag(total, flags.isOpen)
    this.#times.set(total, times.last, Math.max(last, end))
    if (isOpen && isThere) this.#flag(total, flags.isThere)
  }

  /** Adds an interval of a person. Call before `#addBounds`, which changes `first` and `last`. */
  #addInterval(total: number, [start, end]: Interval): void {
    const [first, last] = [this.time(total, 'first'), this.time(total, 'last')]
    if (first > last) return
    if (this.#counts.get(total, counts.lastInterval) === 0) this.#linkInterval(total, first, last)
    this.#linkInterval(total, start, end)
  }

  #linkInterval(total: number, start: number, end: number): void {
    const record = this.#intervals.create()
    this.#intervals.set(record, intervalFields.start, start)
    this.#intervals.set(record, intervalFields.end, end)
    this.#intervals.set(record, intervalFields.before, this.#counts.get(total, counts.lastInterval))
    this.#counts.set(total, counts.lastInterval, record + 1)
  }

  #readIntervals(total: number): Interval[] {
    const [first, last] = [this.time(total, 'first'), this.time(total, 'last')]
    if (first > last) return []
    let link = this.#counts.get(total, counts.lastInterval)
    if (link === 0) return [[first, last]]
    const intervals: Interval[] = []
    for (; link !== 0; link = this.#intervals.get(link - 1, intervalFields.before))
      intervals.push([
        this.#intervals.get(link - 1, intervalFields.start),
        this.#intervals.get(link - 1, intervalFields.end),
      ])
    return mergeIntervals(intervals)
  }
}
