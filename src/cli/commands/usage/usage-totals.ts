import type { Grouping } from '../../attendance/groupings.ts'
import { type Peak, PeakFinder } from '../../attendance/peak.ts'
import { listPeople } from '../../attendance/people.ts'
import type { RoomReport } from '../../attendance/rows.ts'
import { AttendanceTotals, type RowChunk, type TotalsOptions } from '../../attendance/totals.ts'
import type { Printed } from '../../output/schemas/printed.ts'

interface UsageOptions extends Pick<TotalsOptions, 'zone' | 'gapMs' | 'minMinutes' | 'interrupt'> {
  /** Year and month, such as `2026-10`. */
  month: string
  isByRoom: boolean
}

type Row = Printed['usage']['usage'][number]
type Measures = Pick<Row, 'participants' | 'meetings' | 'room_minutes'> & {
  rooms?: number
  room_id?: string
  room_name?: unknown
}

/** Usage totals of all rooms together, or of each room. */
export class UsageTotals {
  readonly #month: string
  readonly #isByRoom: boolean
  readonly #totals: AttendanceTotals
  readonly #days: AttendanceTotals
  readonly #peak = new PeakFinder()
  /** Peaks of the used rooms, for a report by room. */
  readonly #peaks: Peak[] = []

  constructor({ month, isByRoom, ...options }: UsageOptions) {
    this.#month = month
    this.#isByRoom = isByRoom
    const create = (grouping: Grouping) =>
      new AttendanceTotals({ ...options, absent: false, includeBlocked: false, grouping })
    this.#totals = create({ ...(isByRoom && { subject: 'room' }), isUnitFirst: false })
    this.#days = create({ unit: 'day', isUnitFirst: true })
  }

  /** @throws the reason of `interrupt` */
  async add(report: RoomReport): Promise<void> {
    const people = listPeople(report)
    await this.#totals.add(report, people, (visit) => this.#peak.addVisit(visit))
    if (!this.#isByRoom) return this.#days.add(report, people)
    const peak = this.#peak.find()
    if (peak.people > 0) this.#peaks.push(peak)
  }

  /** Returns one row for all rooms, or one row per used room in descending order of minutes. */
  rows(): RowChunk {
    const month = this.#month
    const totals = [...this.#totals.end()].flatMap(({ lines }) => lines.map(({ row }) => row as Measures))
    const peaks = this.#isByRoom ? this.#peaks : [this.#peak.find()]
    const rows = (totals.length > 0 || this.#isByRoom ? totals : [unused]).map((total, i): Row => {
      const { participants, meetings, room_minutes } = total
      const { people: peak = 0, at } = peaks[i] ?? {}
      const peak_time = at === undefined ? null : new Date(at).toISOString()
      const { room_id = '', room_name, rooms = 0 } = total
      const place = this.#isByRoom ? { room_id, room_name } : { rooms }
      return { month, ...place, participants, meetings, room_minutes, peak, peak_time }
    })
    if (this.#isByRoom) rows.sort((a, b) => b.room_minutes - a.room_minutes)
    const lines = rows.map((row) => ({ row, intervals: [], isRunning: false }))
    const most = rows[0]?.room_minutes ?? 0
    return { lines, scale: { most, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY } }
  }

  /** Returns one row for each day on which a room was used. */
  days(): Iterable<RowChunk> {
    return this.#days.end()
  }
}

const unused: Measures = { rooms: 0, participants: 0, meetings: 0, room_minutes: 0 }
