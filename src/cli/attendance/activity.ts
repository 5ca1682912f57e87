import { daysOf, labelOf, type PeriodUnit } from '../calendar/period.ts'
import { inTurns } from './in-turns.ts'
import type { Interval } from './intervals.ts'
import { countTenths } from './measures.ts'
import { listPeople } from './people.ts'
import type { RoomReport } from './rows.ts'
import { listVisits, type VisitOptions } from './visits.ts'

interface ActivityOptions extends Pick<VisitOptions, 'zone' | 'gapMs' | 'minMinutes'> {
  interrupt: AbortSignal
}

export interface ActivityPart {
  label: string
  minutes: number
}

/** Maximum number of bars in a chart by day or week. */
const maxBars = 120
/** Maximum number of days in a chart that shows periods without attendance. */
const maxChartDays = 36_525

/** Attendance of all people in all rooms, by day and by hour of the day. */
export class Activity {
  readonly #options: VisitOptions
  readonly #interrupt: AbortSignal
  /** Tenths of a minute by day number. */
  readonly #days = new Map<number, number>()
  /** Milliseconds by hour of the day. */
  readonly #hours = new Array<number>(24).fill(0)

  constructor({ interrupt, ...options }: ActivityOptions) {
    this.#options = { ...options, unit: 'day', absent: false, includeBlocked: false }
    this.#interrupt = interrupt
  }

  /** @throws the reason of `interrupt` */
  async add(report: RoomReport): Promise<void> {
    const visits = listVisits(report.attendance.meeting, listPeople(report), this.#options)
    for await (const batch of inTurns(visits, this.#interrupt))
      for (const { period: day, intervals } of batch) {
        this.#days.set(day, (this.#days.get(day) ?? 0) + countTenths(intervals))
        for (const interval of intervals) this.#addHours(interval)
      }
  }

  get isEmpty(): boolean {
    return this.#days.size === 0
  }

  /** Returns the minutes per day, or per week or month if the chart would have too many bars. */
  periods(): { unit: PeriodUnit; parts: ActivityPart[] } {
    const days = [...this.#days.keys()].sort((a, b) => a - b)
    const [first = 0, last = 0] = [days[0], days.at(-1)]
    const count = last - first + 1
    const unit = count <= maxBars ? 'day' : count <= 7 * maxBars ? 'week' : 'month'
    const tenths = new Map<number, number>()
    if (count <= maxChartDays)
      for (let [day] = daysOf(unit, first); day <= last; [, day] = daysOf(unit, day)) tenths.set(day, 0)
    for (const day of days) {
      const [start] = daysOf(unit, day)
      tenths.set(start, (tenths.get(start) ?? 0) + (this.#days.get(day) ?? 0))
    }
    return {
      unit,
      parts: [...tenths].map(([day, sum]) => ({ label: labelOf(unit, day), minutes: sum / 10 })),
    }
  }

  hours(): ActivityPart[] {
    return this.#hours.map((ms, hour) => ({
      label: `${String(hour).padStart(2, '0')}:00`,
      minutes: Math.round(ms / 6000) / 10,
    }))
  }

  #addHours([start, end]: Interval): void {
    const { zone } = this.#options
    for (let from = start; from < end; ) {
      const to = Math.min(end, zone.endOfHour(from))
      const hour = zone.hourOf(from)
      this.#hours[hour] = (this.#hours[hour] ?? 0) + to - from
      from = to
    }
  }
}
