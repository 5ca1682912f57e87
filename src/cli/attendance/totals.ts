import type { CompactTexts } from '../compact/texts.ts'
import type { Item } from '../output/views/views.ts'
import type { Grouping, Subject } from './groupings.ts'
import { inTurns } from './in-turns.ts'
import type { Meeting } from './meetings.ts'
import { listPeople } from './people.ts'
import type { ReportRow, RoomReport } from './rows.ts'
import { TotalStore, type TotalSubject } from './total.ts'
import { createTotalRow } from './total-rows.ts'
import { listVisits, type Visit, type VisitOptions } from './visits.ts'

export interface TotalsOptions extends VisitOptions {
  grouping: Grouping
  /** Minimum number of missed meetings of a person in the report; undefined for all people. */
  missed?: number | undefined
  people?: CompactTexts
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
  readonly #store: TotalStore
  /** Rooms in the order of their numbers, which start at 1. Empty if the totals are not by room. */
  readonly #rooms: Item[] = []
  #roomCount = 0
  readonly #meetings = new Map<number, Meeting>()

  constructor(options: TotalsOptions) {
    this.#options = options
    this.#store = new TotalStore(options.zone, options.people)
  }

  /** @throws the reason of `interrupt` */
  async add(
    report: RoomReport,
    people = listPeople(report),
    onVisit?: (visit: Visit) => void,
  ): Promise<void> {
    const { grouping, absent, interrupt } = this.#options
    const { subject, unit } = grouping
    this.#roomCount++
    if (isOfRoom(grouping)) this.#rooms[this.#roomCount - 1] = report.room
    const options = { ...this.#options, unit }
    const visits = listVisits(report.attendance.meeting, people, options, subject === 'meeting')
    for await (const batch of inTurns(visits, interrupt))
      for (const visit of batch) {
        this.#store.addVisit(this.#store.place(this.#subjectOf(visit)), this.#roomCount, visit)
        onVisit?.(visit)
        const { meeting } = visit
        if (subject === 'meeting' && meeting) this.#meetings.set(meeting.number, meeting)
      }
    if (absent && subject === 'user-total' && unit === undefined)
      for (const person of people)
        if (person.blocked !== undefined)
          this.#store.addPerson(this.#store.place(this.#subjectOf({ person, period: 0 })), person)
  }

  /** Yields and clears the rows that further rooms cannot change. */
  complete(): Iterable<RowChunk> {
    return this.#options.grouping.subject === 'meeting' ? this.end() : []
  }

  /** Yields the remaining rows and clears the totals. */
  *end(): Generator<RowChunk> {
    const store = this.#store
    const totals = this.#sort()
    const scale = this.#measure(totals)
    // Rows are created in chunks, because they take more memory than totals.
    for (let i = 0; i < totals.length; i += chunkSize) {
      const lines = Array.from(totals.subarray(i, i + chunkSize), (number) => {
        const total = store.read(number)
        const [room, meeting] = [this.#rooms[total.room - 1], this.#meetings.get(total.meeting)]
        return createTotalRow(total, { room, meeting }, this.#options)
      })
      yield { lines, scale }
    }
    store.clear()
    this.#meetings.clear()
  }

  #subjectOf({ person, period, meeting }: Pick<Visit, 'person' | 'period'> & Partial<Visit>): TotalSubject {
    const { grouping } = this.#options
    const { subject } = grouping
    return {
      person: subject !== undefined && subject !== 'room' ? person : undefined,
      period,
      room: isOfRoom(grouping) ? this.#roomCount : 0,
      meeting: subject === 'meeting' ? (meeting?.number ?? 0) : 0,
    }
  }

  /** Returns the numbers of the totals that are shown, in the order of the rows. */
  #sort(): Uint32Array {
    const store = this.#store
    const { grouping, absent, missed = 0 } = this.#options
    const isShown = (total: number) =>
      store.count(total, 'missed') >= missed &&
      (store.count(total, 'meetings') > 0 || (absent && store.isInvited(total)))
    const shown = Uint32Array.from({ length: store.size }, (_, i) => i).filter(isShown)
    return shown.sort(compareTotals(store, grouping))
  }

  #measure(totals: Uint32Array): RowScale {
    const store = this.#store
    const scale = { most: 0, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY }
    for (const total of totals) {
      scale.most = Math.max(scale.most, store.roomMinutesOf(total))
      scale.first = Math.min(scale.first, store.time(total, 'first'))
      scale.last = Math.max(scale.last, store.time(total, 'last'))
    }
    return scale
  }
}

function isOfRoom({ subject }: Grouping): boolean {
  return subject !== undefined && subject !== 'user-total'
}

type Compare = (a: number, b: number) => number

/** Creates a comparison by subject and period, in the order of the grouping. */
function compareTotals(store: TotalStore, { subject, unit, isUnitFirst }: Grouping): Compare {
  const byPeriod: Compare = (a, b) => store.get(a, 'period') - store.get(b, 'period')
  const byRoom: Compare = (a, b) => store.get(a, 'room') - store.get(b, 'room')
  const byMeeting: Compare = (a, b) => store.get(a, 'meeting') - store.get(b, 'meeting')
  const byMinutes: Compare = (a, b) =>
    store.count(b, 'missed') - store.count(a, 'missed') || store.roomMinutesOf(b) - store.roomMinutesOf(a)
  const byPerson = comparePeople(store)
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

/** Creates a comparison by person, with anonymous participants last. */
function comparePeople(store: TotalStore): Compare {
  // Without a length, distant indexes would make the array a slow dictionary.
  const texts = new Array<string | undefined>(store.size)
  const keyOf = (total: number): string => {
    const known = texts[total]
    if (known !== undefined) return known
    const text = `${store.isAnonymous(total) ? 1 : 0}${store.keyOf(total)}`
    texts[total] = text
    return text
  }
  return (a, b) => compareTexts(keyOf(a), keyOf(b))
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
