import { daysOf } from '../calendar/period.ts'
import type { Item } from '../output/views/views.ts'
import type { Grouping, Subject } from './group-by.ts'
import { inTurns } from './in-turns.ts'
import { listPeople, type RoomReport } from './people.ts'
import type { ReportPlan } from './plan.ts'
import type { ReportRow, RowSource, Rows } from './rows.ts'
import { VisitSum } from './visit-sum.ts'
import { listVisits, type Visit } from './visits.ts'

export class Groups implements RowSource {
  readonly #plan: ReportPlan
  readonly #fields: readonly string[]
  readonly #hasBars: boolean
  readonly #compare: Compare
  /** True if no row covers several rooms. */
  readonly #isOfRoom: boolean
  /** Sums that later visits can change, by period, meeting and person. */
  readonly #open = new Map<string, VisitSum>()
  /** Sums of finished rooms, printed after the last room. */
  #closed: VisitSum[] = []

  /** @param hasBars true for bars, whose scale may be known only after the last room */
  constructor(plan: ReportPlan, fields: readonly string[], hasBars: boolean) {
    this.#plan = plan
    this.#fields = fields
    this.#hasBars = hasBars
    const { grouping, span, zone } = plan
    this.#compare = createComparison(grouping)
    this.#isOfRoom = grouping.subject !== undefined && grouping.subject !== 'user-total'
    // The usage of all rooms together has a row even without visits.
    if (grouping.hasPeak && !this.#isOfRoom)
      this.#sumOf({ period: daysOf('month', zone.dayOf(span[0]))[0] }, {})
  }

  async add(report: RoomReport): Promise<Rows> {
    const { grouping, absent, interrupt, zone } = this.#plan
    const { subject, unit, isUnitFirst, hasPeak } = grouping
    const { room } = report
    const people = listPeople(report)
    const options = { ...this.#plan, unit }
    const visits = listVisits(report.attendance.meeting, people, options, subject === 'meeting')
    for await (const batch of inTurns(visits, interrupt))
      for (const visit of batch) this.#sumOf(visit, room).addVisit(room, visit, zone)
    if (absent && subject === 'user-total' && unit === undefined)
      for (const person of people)
        if (person.blocked !== undefined) this.#sumOf({ person, period: 0 }, room).addPerson(person)
    if (!this.#isOfRoom) return { lines: [] }
    const sums = this.#close()
    if (subject === 'meeting' || !(isUnitFirst || hasPeak || this.#hasBars)) return this.#rowsOf(sums)
    for (const sum of sums) this.#closed.push(sum)
    return { lines: [] }
  }

  end(): Rows {
    const { isUnitFirst, hasPeak } = this.#plan.grouping
    const sums = this.#isOfRoom ? this.#closed : this.#close()
    this.#closed = []
    // The sort is stable: equal sums keep the order of the rooms.
    if (this.#isOfRoom && (isUnitFirst || hasPeak)) sums.sort(hasPeak ? byMinutes : byPeriod)
    return this.#rowsOf(sums)
  }

  #sumOf({ person, period, meeting }: Pick<Visit, 'period'> & Partial<Visit>, room: Item): VisitSum {
    const { grouping } = this.#plan
    const { subject } = grouping
    const isOfPerson = subject !== undefined && subject !== 'room'
    const about = {
      person: isOfPerson ? person : undefined,
      room: this.#isOfRoom ? room : undefined,
      meeting: subject === 'meeting' ? meeting : undefined,
      period,
    }
    const key = `${period} ${about.meeting?.number} ${about.person?.key}`
    const known = this.#open.get(key)
    if (known) return known
    const sum = new VisitSum(about, grouping)
    this.#open.set(key, sum)
    return sum
  }

  #close(): VisitSum[] {
    const { grouping, absent, missed = 0 } = this.#plan
    const isWhole = grouping.hasPeak && !this.#isOfRoom
    const sums = [...this.#open.values()].filter(
      (sum) => sum.missed >= missed && (sum.meetings > 0 || (absent && sum.isInvited) || isWhole),
    )
    this.#open.clear()
    for (const sum of sums) sum.close()
    return sums.sort(this.#compare)
  }

  #rowsOf(sums: readonly VisitSum[]): Rows {
    let [most, first, last] = [0.1, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    for (const sum of sums) {
      most = Math.max(most, sum.room_minutes)
      first = Math.min(first, sum.first)
      last = Math.max(last, sum.last)
    }
    return { lines: this.#listRows(sums), scale: { most, bounds: [first, last] } }
  }

  /** Generates rows on demand, because rows take more memory than sums. */
  *#listRows(sums: readonly VisitSum[]): Generator<ReportRow> {
    for (const sum of sums) yield sum.toRow(this.#fields, this.#plan.grouping.unit)
  }
}

type Compare = (a: VisitSum, b: VisitSum) => number

const byPeriod: Compare = (a, b) => a.period - b.period
const byMinutes: Compare = (a, b) => b.missed - a.missed || b.room_minutes - a.room_minutes
const byPerson: Compare = ({ user_id, key = '' }, { user_id: otherUser, key: other = '' }) =>
  Number(user_id === null) - Number(otherUser === null) || (key < other ? -1 : key > other ? 1 : 0)

function createComparison({ subject, unit, isUnitFirst }: Grouping): Compare {
  const bySubject: Partial<Record<Subject, readonly Compare[]>> = {
    user: [byPerson],
    // If the person comes before the period, the rows of one person must stay together.
    'user-total': unit === undefined || isUnitFirst ? [byMinutes, byPerson] : [byPerson],
    meeting: [(a, b) => a.meeting - b.meeting],
  }
  const parts = (subject && bySubject[subject]) ?? []
  const all = isUnitFirst ? [byPeriod, ...parts] : [...parts, byPeriod]
  return (a, b) => all.reduce((order, compare) => order || compare(a, b), 0)
}
