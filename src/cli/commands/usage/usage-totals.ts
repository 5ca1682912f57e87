import { PeakFinder } from '../../attendance/peak.ts'
import { listPeople } from '../../attendance/people.ts'
import type { RoomReport } from '../../attendance/rows.ts'
import { everything, Total } from '../../attendance/total.ts'
import { AttendanceTotals, type RowChunk } from '../../attendance/totals.ts'
import { listVisits, type VisitOptions } from '../../attendance/visits.ts'
import type { Printed } from '../../output/schemas/printed.ts'

interface UsageOptions extends Pick<VisitOptions, 'zone' | 'gapMs' | 'minMinutes'> {
  /** Year and month, such as `2026-10`. */
  month: string
  isByRoom: boolean
}

type Row = Printed['usage']['usage'][number]

/** Usage totals of all rooms together, or of each room. */
export class UsageTotals {
  readonly #month: string
  readonly #options: VisitOptions
  readonly #isByRoom: boolean
  readonly #days: AttendanceTotals
  #total = new Total(0, everything)
  #peak = new PeakFinder()
  readonly #rooms: Row[] = []

  constructor({ month, isByRoom, ...options }: UsageOptions) {
    this.#month = month
    this.#isByRoom = isByRoom
    this.#options = { ...options, absent: false, includeBlocked: false }
    this.#days = new AttendanceTotals({ ...this.#options, grouping: { unit: 'day', isUnitFirst: true } })
  }

  add(report: RoomReport): void {
    const { room, attendance } = report
    const people = listPeople(report)
    for (const visit of listVisits(attendance.meeting, people, this.#options)) {
      this.#total.addVisit(room, visit, this.#options.zone)
      this.#peak.addVisit(visit)
    }
    if (!this.#isByRoom) return void this.#days.add(report, people)
    const place = { room_id: room['id'] as string, room_name: room['name'] ?? null }
    if (this.#total.meetings > 0) this.#rooms.push({ month: this.#month, ...place, ...this.#measure() })
    this.#total = new Total(0, everything)
    this.#peak = new PeakFinder()
  }

  /** Returns one row for all rooms, or one row per used room in descending order of minutes. */
  rows(): RowChunk {
    const rows: Row[] = this.#isByRoom
      ? this.#rooms.sort((a, b) => b.room_minutes - a.room_minutes)
      : [{ month: this.#month, rooms: this.#total.rooms, ...this.#measure() }]
    const lines = rows.map((row) => ({ row, intervals: [], isRunning: false }))
    const most = Math.max(0, ...rows.slice(0, 1).map(({ room_minutes }) => room_minutes))
    return { lines, scale: { most, first: Number.POSITIVE_INFINITY, last: Number.NEGATIVE_INFINITY } }
  }

  /** Returns one row for each day on which a room was used. */
  days(): Iterable<RowChunk> {
    return this.#days.end()
  }

  #measure() {
    const { participants, meetings, roomMinutes: room_minutes } = this.#total
    const { people: peak, at } = this.#peak.find()
    const peak_time = at === undefined ? null : new Date(at).toISOString()
    return { participants, meetings, room_minutes, peak, peak_time }
  }
}
