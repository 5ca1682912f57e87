import type { Item } from '../output/views/views.ts'
import type { Grouping, Subject } from './groupings.ts'
import { listPeople } from './people.ts'
import type { ReportRow, RoomReport } from './rows.ts'
import { Total } from './total.ts'
import { createTotalRow } from './total-rows.ts'
import { listVisits, type Visit, type VisitOptions } from './visits.ts'

export interface TotalsOptions extends VisitOptions {
  grouping: Grouping
  /** Minimum number of missed meetings of a person in the report; undefined for all people. */
  missed?: number | undefined
}

/** Sums up the attendance of rooms by person, meeting, room and period. */
export class AttendanceTotals {
  readonly #options: TotalsOptions
  readonly #totals = new Map<string, Total>()
  #rooms = 0

  constructor(options: TotalsOptions) {
    this.#options = options
  }

  /** Adds a room. Returns rows that no further room changes. */
  add(report: RoomReport): ReportRow[] {
    const { grouping, absent, zone } = this.#options
    const { subject, unit } = grouping
    const { room } = report
    this.#rooms++
    const people = listPeople(report)
    for (const visit of listVisits(report.attendance.meeting, people, { ...this.#options, unit }))
      this.#totalOf(room, visit).addVisit(room, visit, zone)
    if (absent && subject === 'user-total' && unit === undefined)
      for (const person of people)
        if (person.blocked !== undefined) this.#totalOf(room, { person, period: 0 }).addPerson(person)
    // Meetings are of one room.
    return subject === 'meeting' ? this.#takeRows() : []
  }

  /** Returns the rows of all rooms together. */
  end(): ReportRow[] {
    return this.#takeRows()
  }

  #takeRows(): ReportRow[] {
    const { grouping, absent, missed = 0 } = this.#options
    const isShown = (total: Total) =>
      total.missed >= missed && (total.meetings > 0 || (absent && total.isInvited))
    const totals = [...this.#totals.values()].filter(isShown)
    this.#totals.clear()
    return totals.sort(compareTotals(grouping)).map((total) => createTotalRow(total, this.#options))
  }

  #totalOf(
    room: Item,
    { person, period, meeting }: Pick<Visit, 'person' | 'period'> & Partial<Visit>,
  ): Total {
    const { subject } = this.#options.grouping
    const of = {
      ...(subject !== undefined && subject !== 'user-total' && { room, roomNumber: this.#rooms }),
      ...(subject !== undefined && subject !== 'room' && { person }),
      ...(subject === 'meeting' && meeting && { meeting }),
    }
    const key = [period, of.roomNumber, of.meeting?.number, of.person?.key].join(' ')
    const known = this.#totals.get(key)
    if (known) return known
    const total = new Total(period, of)
    this.#totals.set(key, total)
    return total
  }
}

type Compare = (a: Total, b: Total) => number

const byPeriod: Compare = (a, b) => a.period - b.period
const byRoom: Compare = (a, b) => (a.of.roomNumber ?? 0) - (b.of.roomNumber ?? 0)
const byMeeting: Compare = (a, b) => (a.of.meeting?.number ?? 0) - (b.of.meeting?.number ?? 0)
const byMinutes: Compare = (a, b) => b.missed - a.missed || b.roomMinutes - a.roomMinutes
const byPerson: Compare = (a, b) => compareTexts(keyOf(a), keyOf(b))

/** Sorts by the parts of the grouping in their order. */
function compareTotals({ subject, unit, isUnitFirst }: Grouping): Compare {
  const bySubject: Record<Subject, readonly Compare[]> = {
    user: [byRoom, byPerson],
    room: [byRoom],
    session: [],
    // In one period, the order is that of the bars.
    'user-total': unit === undefined || isUnitFirst ? [byMinutes, byPerson] : [byPerson],
    meeting: [byRoom, byMeeting],
  }
  const bySubjectParts = subject === undefined ? [] : bySubject[subject]
  const parts = isUnitFirst ? [byPeriod, ...bySubjectParts] : [...bySubjectParts, byPeriod]
  return (a, b) => parts.reduce((order, compare) => order || compare(a, b), 0)
}

/** Anonymous participants come last. */
function keyOf({ of: { person } }: Total): string {
  return person ? `${person.user_id === null ? 1 : 0} ${person.key}` : ''
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
