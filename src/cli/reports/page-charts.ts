import { daysOf, labelOf, type PeriodUnit } from '../calendar/period.ts'
import { drawSvgChart } from '../output/bars.ts'
import { type Html, markup } from '../output/html.ts'
import { own, visible } from '../output/terminal/visible.ts'
import { inTurns } from './in-turns.ts'
import { countTenths, formatMinutes, type Interval } from './minutes.ts'
import { listPeople, type RoomReport } from './people.ts'
import type { ReportPlan } from './plan.ts'
import { listVisits } from './visits.ts'

interface ActivityPart {
  label: string
  minutes: number
}

/** Maximum span in days (daily chart) or weeks (weekly chart). */
const maxBars = 120
/** Maximum number of days in a chart that shows periods without attendance. */
const maxChartDays = 36_525

export class Activity {
  readonly #plan: ReportPlan
  /** Attendance in tenths of a minute, by day number. */
  readonly #days = new Map<number, number>()
  /** Attendance in tenths of a minute, by hour of the day. */
  readonly #hours = new Array<number>(24).fill(0)

  constructor(plan: ReportPlan) {
    this.#plan = plan
  }

  /** @throws the error of `inTurns` */
  async add(report: RoomReport): Promise<void> {
    const options = { ...this.#plan, unit: 'day', absent: false } as const
    const visits = listVisits(report.attendance.meeting, listPeople(report), options)
    for await (const batch of inTurns(visits, options.interrupt))
      for (const { period: day, intervals } of batch) {
        this.#days.set(day, (this.#days.get(day) ?? 0) + countTenths(intervals))
        for (const interval of intervals) this.#addHours(interval)
      }
  }

  format(): Html {
    if (this.#days.size === 0) return markup``
    const { unit, parts } = this.#periods()
    const hours = this.#hours.map((tenths, hour) => ({
      label: `${String(hour).padStart(2, '0')}:00`,
      minutes: tenths / 10,
    }))
    const clock = ['00:00', '06:00', '12:00', '18:00', '24:00']
    const unitName = `${unit.charAt(0).toUpperCase()}${unit.slice(1)}`
    const title = `Minutes per ${unit}`
    const periods =
      parts.length > 1
        ? formatChart(`minutes-per-${unit}`, title, parts, unitName, selectLabels(parts))
        : markup``
    return markup`${periods}${formatChart('busiest-hours', 'Busiest hours', hours, 'Hour of the day', clock)}`
  }

  #periods(): { unit: PeriodUnit; parts: ActivityPart[] } {
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
    const parts = Array.from(tenths, ([day, sum]) => ({ label: labelOf(unit, day), minutes: sum / 10 }))
    return { unit, parts }
  }

  #addHours([start, end]: Interval): void {
    const { zone } = this.#plan
    for (let from = start; from < end; ) {
      const to = Math.min(end, zone.endOfHour(from))
      const hour = zone.hourOf(from)
      this.#hours[hour] = (this.#hours[hour] ?? 0) + countTenths([[from, to]])
      from = to
    }
  }
}

function selectLabels(parts: readonly ActivityPart[]): string[] {
  const last = parts.length - 1
  const steps = [4, 3, 2, 1].find((steps) => last % steps === 0) ?? 1
  const places = Array.from({ length: steps + 1 }, (_, i) => (i * last) / steps)
  return [...new Set(places)].flatMap((place) => parts[place]?.label ?? [])
}

/** @param labels labels below the chart, at equal distances */
function formatChart(
  id: string,
  heading: string,
  parts: readonly ActivityPart[],
  unit: string,
  labels: readonly string[],
): Html {
  const most = parts.reduce((most, part) => (part.minutes > most.minutes ? part : most))
  const summary = visible(`Most: ${most.label}, ${formatMinutes(most.minutes)} minutes.`)
  const name = visible(heading)
  const bars = parts.map(({ label, minutes }) => ({
    title: visible(`${label}: ${formatMinutes(minutes)} minutes`),
    share: minutes / Math.max(most.minutes, 0.1),
  }))
  const rows = parts.map(
    ({ label, minutes }) =>
      markup`<tr><th scope="row">${visible(label)}</th><td class="number">${visible(formatMinutes(minutes))}</td></tr>
`,
  )
  return markup`<section class="charts" aria-labelledby="${visible(id)}">
<h2 id="${visible(id)}">${name}</h2>
<p>${summary} Each bar is the sum of the minutes of each user in each room.</p>
<div class="plot">
<p class="scale"><span>${visible(formatMinutes(most.minutes))} minutes</span><span>${visible(formatMinutes(most.minutes / 2))}</span><span>0</span></p>
${drawSvgChart(bars, own`${name}. ${summary}`)}
<p class="axis">${labels.map((label) => markup`<span>${visible(label)}</span>`)}</p>
<p class="unit">${visible(unit)}</p>
</div>
<details><summary>Numbers</summary><table>
<caption>${name}</caption>
<tbody>
${rows}</tbody>
</table></details>
</section>
`
}
