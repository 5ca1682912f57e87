import type { Item } from '../output/views/views.ts'
import type { Grouping, Subject } from './groupings.ts'
import { inTurns } from './in-turns.ts'
import type { Meeting } from './meetings.ts'
import { listPeople } from './people.ts'
import type { ReportRow, RoomReport } from './rows.ts'
import { Total, type TotalSubject } from './total.ts'
import { createTotalRow } from './total-rows.ts'
import { listVisits, type Visit, type VisitOptions } from './visits.ts'

export interface TotalsOptions extends VisitOptions {
  grouping: Grouping
  /** Minimum number of missed meetings of a person in the report; undefined for all people. */
  missed?: number | undefined
  interrupt: AbortSignal
}

/** Scale shared by the bars and time lines of all rows. */
export interface RowScale {
  /** Largest number of minutes in a row. */
  most: number
  /** First entry and last exit, in milliseconds since 1970; infinite if nobody was there. */
  first: number
  last: number
}

export interface RowChunk {
  lines: readonly ReportRow[]
  scale: RowScale
}

const chunkSize = 250

/** Attendance totals by person, meeting, room and period. */
export class AttendanceTotals {
  readonly #options: TotalsOptions
  /** Totals by their subject. */
  readonly #totals = new Map<string, Total>()
  /** Rooms in the order of their numbers, which start at 1. Empty if the totals are not by room. */
  readonly #rooms: Item[] = []
  #roomCount = 0
  readonly #meetings = new Map<number, Meeting>()

  constructor(options: TotalsOptions) {
    this.#options = options
  }

  /** @throws the reason of `interrupt` */
  async add(
    report: RoomReport,
    people = listPeople(report),
    onVisit?: (visit: Visit) => void,
  ): Promise<void> {
    const { grouping, absent, interrupt, zone } = this.#options
    const { subject, unit } = grouping
    this.#roomCount++
    if (isOfRoom(grouping)) this.#rooms[this.#roomCount - 1] = report.room
    const options = { ...this.#options, unit }
    const visits = listVisits(report.attendance.meeting, people, options, subject === 'meeting')
    for await (const batch of inTurns(visits, interrupt))
      for (const visit of batch) {
        this.#totalOf(visit).addVisit(this.#roomCount, visit, zone)
        onVisit?.(visit)
        const { meeting } = visit
        if (subject === 'meeting' && meeting) this.#meetings.set(meeting.number, meeting)
      }
    if (absent && subject === 'user-total' && unit === undefined)
      for (const person of people)
        if (person.blocked !== undefined) this.#totalOf({ person, period: 0 }).addPerson(person)
  }

  /** Yields and clears the rows that further rooms cannot change. */
  complete(): Iterable<RowChunk> {
    return this.#options.grouping.subject === 'meeting' ? this.end() : []
  }

  /** Yields the remaining rows and clears the totals. */
  *end(): Generator<RowChunk> {
    const totals = this.#sort()
    const scale = measure(totals)
    // Rows are created in chunks, because they take more memory than totals.
    for (let i = 0; i < totals.length; i += chunkSize) {
      const lines = totals.slice(i, i + chunkSize).map((total) => {
        const [room, meeting] = [this.#rooms[total.room - 1], this.#meetings.get(total.meeting)]
        return createTotalRow(total, { room, meeting }, this.#options)
      })
      yield { lines, scale }
    }
    this.#totals.clear()
    this.#meetings.clear()
  }

  /** Finds or adds the total that a visit belongs to. */
  #totalOf({ person, period, meeting }: Pick<Visit, 'person' | 'period'> & Partial<Visit>): Total {
    const { grouping } = this.#options
    const { subject } = grouping
    const about: TotalSubject = {
      person: subject !== undefined && subject !== 'room' ? person : undefined,
      period,
      room: isOfRoom(grouping) ? this.#roomCount : 0,
      meeting: subject === 'meeting' ? (meeting?.number ?? 0) : 0,
    }
    const key = `${about.period} ${about.room} ${about.meeting} ${about.person?.key ?? ''}`
    const known = this.#totals.get(key)
    if (known) return known
    const total = new Total(about)
    this.#totals.set(key, total)
    return total
  }

  /** Returns the totals that are shown, in the order of the rows. */
  #sort(): Total[] {
    const { grouping, absent, missed = 0 } = this.#options
    const isShown = (total: Total) =>
      total.missed >= missed && (total.meetings > 0 || (absent && total.isInvited))
    return [...this.#totals.values()].filter(isShown).sort(compareTotals(grouping))
  }
}

function measure(totals: readonly Total[]): RowScale {
  const scale = { most: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  for (const { roomMinutes, first, last } of totals) {
    scale.most = Math.max(scale.most, roomMinutes)
    scale.first = Math.min(scale.first, first)
    scale.last = Math.max(scale.last, last)
  }
  return scale
}

function isOfRoom({ subject }: Grouping): boolean {
  return subject !== undefined && subject !== 'user-total'
}

type Compare = (a: Total, b: Total) => number

/** Creates a comparison by subject and period, in the order of the grouping. */
function compareTotals({ subject, unit, isUnitFirst }: Grouping): Compare {
  const byPeriod: Compare = (a, b) => a.period - b.period
  const byRoom: Compare = (a, b) => a.room - b.room
  const byMeeting: Compare = (a, b) => a.meeting - b.meeting
  const byMinutes: Compare = (a, b) => b.missed - a.missed || b.roomMinutes - a.roomMinutes
  const bySubject: Record<Subject, readonly Compare[]> = {
    user: [byRoom, byPerson],
    room: [byRoom],
    session: [],
    // If the person comes before the period, the rows of one person must stay together.
    'user-total': unit === undefined || isUnitFirst ? [byMinutes, byPerson] : [byPerson],
    meeting: [byRoom, byMeeting],
  }
  const bySubjectParts = subject === undefined ? [] : bySubject[subject]
  const parts = isUnitFirst ? [byPeriod, ...bySubjectParts] : [...bySubjectParts, byPeriod]
  return (a, b) => parts.reduce((order, compare) => order || compare(a, b), 0)
}

/** Compares by person, with anonymous participants last. */
const byPerson: Compare = (a, b) =>
  Number(a.user_id === null) - Number(b.user_id === null) || compareTexts(a.key ?? '', b.key ?? '')

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
