import { textOf } from '../../../../api/text-of.ts'
import type { Visible } from '../../../../host.ts'
import { clockOf, timeFormatFor } from '../../../attendance/clock.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'

interface TableOptions {
  name: Visible
  /** From the first entry to the last exit; undefined if nobody was there. */
  span: Interval | undefined
  shown: (text: string) => Visible
}

export function tableOf(people: readonly ReportRow[], options: TableOptions): Html {
  const { name, span } = options
  const [start, end] = span ? span.map((ms) => visible(timeFormatFor(span)(ms))) : []
  const axis = markup`<span class="axis"><span>${start ?? own``}</span><span>${end ?? own``}</span></span>`
  return markup`<div class="wide" tabindex="0" role="region" aria-label="Attendance in ${name}"><table>
<caption>Who was in ${name}, and when</caption>
<thead><tr><th scope="col">Name</th><th scope="col">User id</th><th scope="col">First in</th><th scope="col">Last out</th><th scope="col" class="number">Connections</th><th scope="col" class="number">Minutes</th><th scope="col" class="number">Share</th><th scope="col">Present</th><th scope="col" class="time">${span ? axis : own`Time`}</th></tr></thead>
<tbody>
${people.map((line) => rowOf(line, options))}</tbody>
</table></div>
`
}

function rowOf({ row, intervals, isRunning }: ReportRow, { span, shown }: TableOptions): Html {
  const isPresent = row['present'] === true
  const share = typeof row['share'] === 'number' ? visible(`${Math.round(row['share'] * 100)} %`) : own``
  const minutes = visible((row['minutes'] as number).toFixed(1))
  const timeOf = span ? timeFormatFor(span) : clockOf
  const time = (ms: number | undefined) =>
    ms === undefined
      ? own``
      : markup`<time datetime="${visible(new Date(ms).toISOString())}">${visible(timeOf(ms))}</time>`
  const [first, last] = [intervals[0]?.[0], intervals.at(-1)?.[1]]
  const out = isRunning ? own`still in` : row['last_out'] === null ? own`` : time(last)
  return markup`<tr${isPresent ? markup`` : markup` class="absent"`}><th scope="row"><bdi>${shown(textOf(row['name']))}</bdi></th><td class="id"><bdi>${shown(textOf(row['user_id']))}</bdi></td><td>${time(first)}</td><td>${out}</td><td class="number">${row['connections'] as number}</td><td class="number">${minutes}</td><td class="number">${share}</td><td>${isPresent ? own`yes` : own`no`}</td><td class="time">${span ? timeLine(intervals, span) : own``}</td></tr>
`
}

/** Maximum number of intervals in the label of a time line. */
const mostNamed = 20
/** Width of a time line, in SVG units. */
const width = 1000

/** Draws the attendance of a person, with a label for screen readers. */
function timeLine(intervals: readonly Interval[], [start, end]: Interval): Html {
  const timeOf = timeFormatFor([start, end])
  const scale = end > start ? width / (end - start) : 0
  const named = intervals.slice(0, mostNamed).map(([from, to]) => `${timeOf(from)} to ${timeOf(to)}`)
  const more = intervals.length > mostNamed ? [`and ${intervals.length - mostNamed} more`] : []
  const label = visible([...named, ...more].join(', ') || 'not there')
  const bars = intervals.map(([from, to]) => {
    // A moment must be visible.
    const size = Math.max(2, scale === 0 ? width : (to - from) * scale)
    const x = Math.min(width - size, (from - start) * scale)
    return markup`<rect class="there" x="${rounded(x)}" y="3" width="${rounded(size)}" height="10"/>`
  })
  return markup`<svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><rect class="meeting" x="0" y="3" width="${width}" height="10"/>${bars}</svg>`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
