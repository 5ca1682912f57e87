import type { Visible } from '../../../../host.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import { type Html, markup } from './html.ts'
import { formatCell, titles } from './page-cells.ts'
import { drawMinutes, drawTimeLine } from './page-drawings.ts'

export interface TableOptions {
  caption: Visible
  label: Visible
  /** Fields in column order. The first one is the row heading. */
  fields: readonly string[]
  /** Span of the timelines, in milliseconds since 1970; undefined for minute bars, or without attendance. */
  span: Interval | undefined
  /** Largest number of minutes in a row of a table with bars. */
  most?: number | undefined
  shown: (text: string) => Visible
  zone: TimeZone
}

const numbers = new Set([
  ...[
    'connections',
    'minutes',
    'room_minutes',
    'share',
    'participants',
    'rooms',
    'days',
    'meetings',
    'missed',
  ],
])

const unlimited: Interval = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]

/** Formats a table with a timeline or a bar in each row. */
export function formatTable(lines: readonly ReportRow[], options: TableOptions): Html {
  return markup`${formatTableStart(options)}${formatTableRows(lines, options)}${tableEnd}`
}

export function formatTableStart({ caption, label, fields, span, zone }: TableOptions): Html {
  const [start, end] = span ? span.map((ms) => visible(zone.createFormat(span)(ms))) : []
  const axis = markup`<span class="axis"><span>${start ?? own``}</span><span>${end ?? own``}</span></span>`
  const head = fields.map((field) =>
    numbers.has(field)
      ? markup`<th scope="col" class="number">${titles[field] ?? visible(field)}</th>`
      : markup`<th scope="col">${titles[field] ?? visible(field)}</th>`,
  )
  return markup`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table>
<caption>${caption}</caption>
<thead><tr>${head}<th scope="col" class="time">${span ? axis : own`Time`}</th></tr></thead>
<tbody>
`
}

export function formatTableRows(lines: readonly ReportRow[], options: TableOptions): Html {
  return markup`${lines.map((line) => formatRow(line, options))}`
}

export const tableEnd = markup`</tbody>
</table></div>
`

function formatRow(line: ReportRow, { fields, span, most, shown, zone }: TableOptions): Html {
  const { row, intervals } = line
  const isAbsent = row['present'] === false || row['meetings'] === 0
  const timeOf = zone.createFormat(span ?? unlimited)
  const cells = fields.map((field, i) => {
    const cell = formatCell(field, line, { shown, timeOf })
    if (i === 0) return markup`<th scope="row">${cell}</th>`
    if (field === 'user_id') return markup`<td class="id">${cell}</td>`
    return numbers.has(field) ? markup`<td class="number">${cell}</td>` : markup`<td>${cell}</td>`
  })
  const drawing =
    most !== undefined
      ? drawMinutes(Number(row['room_minutes']), most)
      : span
        ? drawTimeLine(intervals, span, zone)
        : own``
  return markup`<tr${isAbsent ? markup` class="absent"` : markup``}>${cells}<td class="time">${drawing}</td></tr>
`
}
