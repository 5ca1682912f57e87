import { listNames } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Visible } from '../../../../host.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'

interface TableOptions {
  name: Visible
  /** Time from the first entry to the last exit; undefined if nobody attended. */
  span: Interval | undefined
  shown: (text: string) => Visible
  zone: TimeZone
}

export function formatPeopleTable(people: readonly ReportRow[], options: TableOptions): Html {
  const { name, span, zone } = options
  const [start, end] = span ? span.map((ms) => visible(zone.createFormat(span)(ms))) : []
  const axis = markup`<span class="axis"><span>${start ?? own``}</span><span>${end ?? own``}</span></span>`
  return markup`<div class="wide" tabindex="0" role="region" aria-label="Attendance in ${name}"><table>
<caption>Who was in ${name}, and when</caption>
<thead><tr><th scope="col">Name</th><th scope="col">User id</th><th scope="col">First in</th><th scope="col">Last out</th><th scope="col" class="number">Connections</th><th scope="col" class="number">Minutes</th><th scope="col" class="number">Share</th><th scope="col">Present</th><th scope="col" class="time">${span ? axis : own`Time`}</th></tr></thead>
<tbody>
${people.map((line) => formatPersonRow(line, options))}</tbody>
</table></div>
`
}

function formatPersonRow(
  { row, intervals, isRunning }: ReportRow,
  { span, shown, zone }: TableOptions,
): Html {
  const isPresent = row['present'] === true
  const share = typeof row['share'] === 'number' ? visible(`${Math.round(row['share'] * 100)} %`) : own``
  const minutes = visible((row['minutes'] as number).toFixed(1))
  const timeOf = span ? zone.createFormat(span) : (ms: number) => zone.formatClock(ms)
  const time = (ms: number | undefined) =>
    ms === undefined
      ? own``
      : markup`<time datetime="${visible(new Date(ms).toISOString())}">${visible(timeOf(ms))}</time>`
  const [first, last] = [intervals[0]?.[0], intervals.at(-1)?.[1]]
  const out = isRunning ? own`still in` : row['last_out'] === null ? own`` : time(last)
  return markup`<tr${isPresent ? markup`` : markup` class="absent"`}><th scope="row"><bdi>${shown(toText(row['name']))}</bdi></th><td class="id"><bdi>${shown(toText(row['user_id']))}</bdi></td><td>${time(first)}</td><td>${out}</td><td class="number">${row['connections'] as number}</td><td class="number">${minutes}</td><td class="number">${share}</td><td>${isPresent ? own`yes` : own`no`}</td><td class="time">${span ? drawTimeLine(intervals, span, zone) : own``}</td></tr>
`
}

const maxLabelIntervals = 20
/** Width of a timeline, in SVG units. */
const width = 1000

/** Draws the attendance of a person, with a label for screen readers. */
function drawTimeLine(intervals: readonly Interval[], [start, end]: Interval, zone: TimeZone): Html {
  const timeOf = zone.createFormat([start, end])
  const scale = end > start ? width / (end - start) : 0
  const named = intervals.map(([from, to]) => `${timeOf(from)} to ${timeOf(to)}`)
  const label = visible(listNames(named, maxLabelIntervals) || 'not there')
  const bars = intervals.map(([from, to]) => {
    // An interval of zero length must be visible.
    const size = Math.max(2, scale === 0 ? width : (to - from) * scale)
    const x = Math.min(width - size, (from - start) * scale)
    return markup`<rect class="there" x="${roundCoordinate(x)}" y="3" width="${roundCoordinate(size)}" height="10"/>`
  })
  return markup`<svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><rect class="meeting" x="0" y="3" width="${width}" height="10"/>${bars}</svg>`
}

function roundCoordinate(value: number): number {
  return Math.round(value * 10) / 10
}
