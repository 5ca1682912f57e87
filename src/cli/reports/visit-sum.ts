import { addTo } from '../../api/group-by.ts'
import { labelOf, type PeriodUnit } from '../calendar/period.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import type { SumRow } from '../output/views/report-rows.ts'
import type { Item } from '../output/views/views.ts'
import type { Grouping } from './group-by.ts'
import {
  computeMinutes,
  computeShare,
  countTenths,
  type Interval,
  mergeIntervals,
  totalLength,
} from './minutes.ts'
import type { Person } from './people.ts'
import type { ReportRow } from './rows.ts'
import { formatTime } from './session-times.ts'
import type { Meeting, Visit } from './visits.ts'

type FieldOf<Row> = Row extends unknown ? Exclude<keyof Row, PeriodUnit> : never
type ValueOf<Row, Field> = Row extends unknown ? (Field extends keyof Row ? Row[Field] : never) : never
type PrintedFields = { readonly [Field in FieldOf<SumRow>]: ValueOf<SumRow, Field> }

/** Subject of a sum. Undefined properties mean that the sum can cover several values. */
export interface SumSubject {
  person: Person | undefined
  room: Item | undefined
  meeting: Meeting | undefined
  /** Day number of the first day of the period; 0 without periods. */
  period: number
}

export class VisitSum implements PrintedFields {
  readonly period: number
  readonly key: string | undefined
  readonly user_id: unknown
  readonly blocked: boolean
  name: unknown = null
  role: unknown = null
  rooms = 0
  meetings = 0
  missed = 0
  present = false
  isInvited = false
  /** Start of the attendance, in milliseconds since 1970; infinite without attendance. */
  first = Number.POSITIVE_INFINITY
  /** End of the attendance, in milliseconds since 1970; negative infinity without attendance. */
  last = Number.NEGATIVE_INFINITY
  readonly #room: Item | undefined
  readonly #meeting: Meeting | undefined
  /** Time from which meetings count, in milliseconds since 1970; infinite if unknown. */
  #countedFrom = Number.POSITIVE_INFINITY
  /** True if the last exit time is unknown. */
  #isOpen = false
  #isThere = false
  /** Sum of the attendance of each participant in each room, in tenths of a minute. */
  #tenths = 0
  /** The same sum, in milliseconds. */
  #roomMs = 0
  #lastRoom: Item | undefined
  #lastMeeting: Meeting | undefined
  /** Day number, or set of day numbers. An empty set for each of 100,000 people would take 20 MB. */
  #days: number | Set<number> | undefined
  readonly #participants: Set<string> | undefined
  readonly #intervals: Interval[] | undefined
  readonly #presence: Map<string, Interval[]> | undefined
  #peak: Peak | undefined

  constructor({ person, room, meeting, period }: SumSubject, { subject, hasPeak }: Grouping) {
    this.period = period
    this.#room = room
    this.#meeting = meeting
    this.key = person?.key
    this.user_id = person?.user_id ?? null
    this.blocked = person?.blocked ?? false
    this.#participants = person ? undefined : new Set()
    // Rows of one person in one room show neither a timeline nor the field `minutes`.
    this.#intervals = person && subject !== 'user' ? [] : undefined
    this.#presence = hasPeak ? new Map() : undefined
  }

  get room_id(): string {
    return this.#room?.['id'] as string
  }

  get room_name(): unknown {
    return this.#room?.['name'] ?? null
  }

  get meeting(): number {
    return this.#meeting?.number ?? 0
  }

  get meeting_start(): string | null {
    return formatTime(this.#meeting?.start)
  }

  get meeting_end(): string | null {
    return this.#meeting?.isRunning ? null : formatTime(this.#meeting?.end)
  }

  get participants(): number {
    return this.#participants?.size ?? Math.min(1, this.meetings)
  }

  get days(): number {
    return this.#days instanceof Set ? this.#days.size : Number(this.#days !== undefined)
  }

  get counted_from(): string | null {
    return formatTime(this.#countedFrom)
  }

  get first_in(): string | null {
    return formatTime(this.first)
  }

  get last_out(): string | null {
    return this.#isOpen ? null : formatTime(this.last)
  }

  get room_minutes(): number {
    return this.#tenths / 10
  }

  /** Minutes in which the person was in at least one room. */
  get minutes(): number {
    return computeMinutes(mergeIntervals(this.#intervals ?? []))
  }

  get share(): number | null {
    return computeShare(this.#roomMs, this.#meeting?.intervals ?? [])
  }

  get peak(): number {
    return this.#peak?.people ?? 0
  }

  get peak_time(): string | null {
    return formatTime(this.#peak?.at)
  }

  /** @param unit unit of the periods, and name of their field */
  toRow(fields: readonly string[], unit?: PeriodUnit): ReportRow {
    // Assignments in a loop take less memory than spreads.
    const row: Record<string, unknown> = {}
    for (const field of fields)
      row[field] = field === unit ? labelOf(unit, this.period) : this[field as keyof PrintedFields]
    const bounds: Interval | undefined = this.first <= this.last ? [this.first, this.last] : undefined
    return {
      row,
      bounds,
      intervals: mergeIntervals(this.#intervals ?? []),
      isRunning: this.#isOpen && this.#isThere,
      meeting: this.#meeting,
      span: bounds && this.#meeting && [this.#meeting.start, this.#meeting.end],
    }
  }

  addVisit(room: Item, visit: Visit, zone: TimeZone): void {
    const { person, meeting, intervals, isPresent, missed } = visit
    if (this.key !== undefined) this.addPerson(person)
    this.present ||= isPresent
    this.missed += missed
    // Visits below the minimum count only in reports by meeting.
    if (!meeting || (!isPresent && !this.#meeting)) return
    if (this.#lastRoom !== room) this.rooms++
    if (this.#lastMeeting !== meeting) this.meetings++
    this.#lastRoom = room
    this.#lastMeeting = meeting
    this.#participants?.add(person.key)
    this.#tenths += countTenths(intervals)
    this.#roomMs += totalLength(intervals)
    for (const interval of intervals) {
      const [start, end] = interval
      const last = zone.dayOf(Math.max(start, end - 1))
      for (let day = zone.dayOf(start); day <= last; day++) this.#addDay(day)
      this.#intervals?.push(interval)
      if (this.#presence) addTo(this.#presence, person.key, interval)
      this.#addBounds(start, end, person)
    }
  }

  addPerson({ name, role, blocked, countedFrom }: Person): void {
    if (blocked !== undefined) {
      this.isInvited = true
      this.#countedFrom = Math.min(this.#countedFrom, countedFrom)
    }
    this.name ??= name ?? null
    this.role ??= role ?? null
  }

  /** Computes the peak and frees its intervals. */
  close(): void {
    this.#peak = this.#presence && findPeak(this.#presence)
    this.#presence?.clear()
  }

  #addDay(day: number): void {
    if (this.#days instanceof Set) this.#days.add(day)
    else if (this.#days !== undefined && this.#days !== day) this.#days = new Set([this.#days, day])
    else this.#days = day
  }

  #addBounds(start: number, end: number, { openEnd, isThere }: Person): void {
    const isOpen = openEnd === end
    this.first = Math.min(this.first, start)
    // Of visits with the same last time, a visit without a known exit decides.
    if (end >= this.last) this.#isOpen = isOpen || (end === this.last && this.#isOpen)
    this.last = Math.max(this.last, end)
    if (isOpen && isThere) this.#isThere = true
  }
}

interface Peak {
  people: number
  /** First time of the peak, in milliseconds since 1970; undefined without attendance. */
  at: number | undefined
}

/** Counts a person in two rooms at the same time once. */
function findPeak(presence: ReadonlyMap<string, readonly Interval[]>): Peak {
  const merged = [...presence.values()].flatMap(mergeIntervals)
  const starts = Float64Array.from(merged, ([start]) => start).sort()
  // A visit of zero length counts as one millisecond long.
  const ends = Float64Array.from(merged, ([start, end]) => Math.max(end, start + 1)).sort()
  let peak: Peak = { people: 0, at: undefined }
  let left = 0
  for (const [i, start] of starts.entries()) {
    while ((ends[left] ?? Number.POSITIVE_INFINITY) <= start) left++
    if (i + 1 - left > peak.people) peak = { people: i + 1 - left, at: start }
  }
  return peak
}
