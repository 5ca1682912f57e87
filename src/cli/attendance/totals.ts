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

const chunkSize = 1000

/** Attendance totals by person, meeting, room and period. */
export class AttendanceTotals {
  readonly #options: TotalsOptions
  readonly #totals = new Map<string, Total>()
  #rooms = 0

  constructor(options: TotalsOptions) {
    this.#options = options
  }

  /**
   * Adds a room and returns the rows that are now complete.
   * @param people people of the room, if already listed
   */
  add(report: RoomReport, people = listPeople(report)): RowChunk[] {
    const { grouping, absent, zone } = this.#options
    const { subject, unit } = grouping
    const { room } = report
    this.#rooms++
    for (const visit of listVisits(report.attendance.meeting, people, { ...this.#options, unit }))
      this.#totalOf(room, visit).addVisit(room, visit, zone)
    if (absent && subject === 'user-total' && unit === undefined)
      for (const person of people)
        if (person.blocked !== undefined) this.#totalOf(room, { person, period: 0 }).addPerson(person)
    // A meeting belongs to one room, so its row is complete.
    return subject === 'meeting' ? [...this.end()] : []
  }

  /** Yields the remaining rows and clears the totals. */
  *end(): Generator<RowChunk> {
    const { grouping, absent, missed = 0 } = this.#options
    const isShown = (total: Total) =>
      total.missed >= missed && (total.meetings > 0 || (absent && total.isInvited))
    const totals = [...this.#totals.values()].filter(isShown).sort(compareTotals(grouping))
    this.#totals.clear()
    const scale = measureTotals(totals)
    // Rows are created in chunks, because they take more memory than totals.
    for (let i = 0; i < totals.length; i += chunkSize)
      yield {
        lines: totals.slice(i, i + chunkSize).map((total) => createTotalRow(total, this.#options)),
        scale,
      }
  }

  #totalOf(
    room: Item,
    { person, period, meeting }: Pick<Visit, 'person' | 'period'> & Partial<Visit>,
  ): Total {
    const { subject } = this.#options.grouping
    const isOfRoom = subject !== undefined && subject !== 'user-total'
    const isOfPerson = subject !== undefined && subject !== 'room'
    const isOfMeeting = subject === 'meeting' && meeting !== undefined
    const parts = [
      ...(isOfPerson ? [person.key] : []),
      ...(period === 0 ? [] : [period]),
      ...(isOfRoom ? [this.#rooms] : []),
      ...(isOfMeeting ? [meeting.number] : []),
    ]
    const key = parts.length === 1 ? String(parts[0]) : parts.join(' ')
    const known = this.#totals.get(key)
    if (known) return known
    const { user_id, blocked } = person
    const total = new Total(period, {
      room: isOfRoom ? room : undefined,
      roomNumber: isOfRoom ? this.#rooms : 0,
      person: isOfPerson ? { key: person.key, user_id, blocked } : undefined,
      meeting: isOfMeeting ? meeting : undefined,
    })
    this.#totals.set(key, total)
    return total
  }
}

function measureTotals(totals: readonly Total[]): RowScale {
  const scale = { most: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
  for (const { roomMinutes, first, last } of totals) {
    scale.most = Math.max(scale.most, roomMinutes)
    scale.first = Math.min(scale.first, first)
    scale.last = Math.max(scale.last, last)
  }
  return scale
}

type Compare = (a: Total, b: Total) => number

const byPeriod: Compare = (a, b) => a.period - b.period
const byRoom: Compare = (a, b) => a.of.roomNumber - b.of.roomNumber
const byMeeting: Compare = (a, b) => (a.of.meeting?.number ?? 0) - (b.of.meeting?.number ?? 0)
const byMinutes: Compare = (a, b) => b.missed - a.missed || b.roomMinutes - a.roomMinutes
/** Compares by person, with anonymous participants last. */
const byPerson: Compare = ({ of: { person: a } }, { of: { person: b } }) =>
  Number(a?.user_id === null) - Number(b?.user_id === null) || compareTexts(a?.key ?? '', b?.key ?? '')

/** Creates a comparison by subject and period, in the order of the grouping. */
function compareTotals({ subject, unit, isUnitFirst }: Grouping): Compare {
  const bySubject: Record<Subject, readonly Compare[]> = {
    user: [byRoom, byPerson],
    room: [byRoom],
    session: [],
    // If the column of the person precedes that of the period, the rows of one person must stay together.
    'user-total': unit === undefined || isUnitFirst ? [byMinutes, byPerson] : [byPerson],
    meeting: [byRoom, byMeeting],
  }
  const bySubjectParts = subject === undefined ? [] : bySubject[subject]
  const parts = isUnitFirst ? [byPeriod, ...bySubjectParts] : [...bySubjectParts, byPeriod]
  return (a, b) => parts.reduce((order, compare) => order || compare(a, b), 0)
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
