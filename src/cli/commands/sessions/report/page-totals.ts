import { counted } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Visible } from '../../../../host.ts'
import type { Grouping } from '../../../attendance/groupings.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { countTenths } from '../../../attendance/measures.ts'
import type { Meeting } from '../../../attendance/meetings.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import type { RowChunk, RowScale } from '../../../attendance/totals.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import type { Item } from '../../../output/views/views.ts'
import { type Html, markup } from './html.ts'
import { titles } from './page-cells.ts'
import { formatTable, formatTableStart, type TableOptions, tableEnd } from './page-table.ts'

interface TotalsOptions {
  grouping: Grouping
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  zone: TimeZone
  shown: (text: string) => Visible
}

const headings: Readonly<Record<string, string>> = {
  'user-total': 'People',
  user: 'People in rooms',
  room: 'Rooms',
}

/**
 * Returns the options of the table in a report by person, room or period, such as caption and columns. The first rows
 * determine the columns.
 */
export function describeTotals(
  { lines, scale }: RowChunk,
  { grouping, span, zone, shown }: TotalsOptions,
): TableOptions {
  const { subject, unit, isUnitFirst } = grouping
  const heading = [headings[subject ?? ''], unit && `by ${unit}`].filter(Boolean).join(' ')
  const name = visible(heading.charAt(0).toUpperCase() + heading.slice(1))
  const known = Object.keys(lines[0]?.row ?? {}).filter((field) => Object.hasOwn(titles, field))
  const label = known.includes('name') ? 'name' : known.includes('room_name') ? 'room_name' : (unit ?? '')
  const first = isUnitFirst && unit ? unit : label
  const hasTimeLines = subject === 'user-total' && unit === undefined
  // The timeline already shows the first entry and the last exit.
  const isShown = (field: string) => !(hasTimeLines && ['first_in', 'last_out'].includes(field))
  return {
    ...{ caption: name, label: name, shown, zone },
    fields: [first, ...known.filter((field) => field !== first && isShown(field))],
    span: hasTimeLines ? limitSpan(span, scale) : undefined,
    most: hasTimeLines ? undefined : scale.most,
  }
}

export function formatTotalsStart(table: TableOptions): Html {
  return markup`<section aria-labelledby="totals">
<h2 id="totals">${table.caption}</h2>
${formatTableStart(table)}`
}

export const totalsEnd = markup`${tableEnd}</section>
`

/** Formats each meeting of a room as a section. */
export function formatMeetings(
  lines: readonly ReportRow[],
  { zone, shown, number }: TotalsOptions & { number: number },
): Html {
  const sections = groupByMeeting(lines).map(({ meeting, people }, i) => {
    const id = visible(`meeting-${number}-${i + 1}`)
    const row: Item = people[0]?.row ?? {}
    const name = shown(toText(row['room_name']) || toText(row['room_id']))
    const fields = ['name', 'user_id', 'role', 'first_in', 'last_out', 'room_minutes', 'share', 'present']
    const label = own`Attendance in ${name}, meeting ${meeting.number}`
    const caption = own`Who was in ${name}, meeting ${meeting.number}, and when`
    const span = [meeting.start, meeting.end] as const
    return markup`<section aria-labelledby="${id}">
<h2 id="${id}"><bdi>${name}</bdi>, meeting ${meeting.number}</h2>
<p>Room ${shown(toText(row['room_id']))}. ${describeMeeting(meeting, people, zone)}</p>
${formatTable(people, { caption, label, fields, span, shown, zone })}</section>
`
  })
  return markup`${sections}`
}

function describeMeeting(meeting: Meeting, people: readonly ReportRow[], zone: TimeZone): Visible {
  const { start, end, intervals, isRunning } = meeting
  const last =
    zone.dayOf(start) === zone.dayOf(end) ? zone.formatClock(end) : zone.createFormat([start, end])(end)
  const present = people.filter(({ row }) => row['present'] === true).length
  return visible(
    `${zone.formatDay(start)} ${zone.formatClock(start)} to ${isRunning ? 'now' : last}, ${(countTenths(intervals) / 10).toFixed(1)} minutes, ${counted(present, 'participant')}.`,
  )
}

function groupByMeeting(lines: readonly ReportRow[]): { meeting: Meeting; people: ReportRow[] }[] {
  const groups: { meeting: Meeting; people: ReportRow[] }[] = []
  for (const line of lines) {
    const { meeting } = line
    if (!meeting) continue
    const last = groups.at(-1)
    if (last?.meeting === meeting) last.people.push(line)
    else groups.push({ meeting, people: [line] })
  }
  return groups
}

/** Replaces the infinite ends of a span with the first entry and the last exit. */
function limitSpan([from, to]: Interval, { first, last }: RowScale): Interval | undefined {
  const limited = [Number.isFinite(from) ? from : first, Number.isFinite(to) ? to : last] as const
  return limited.every((ms) => Number.isFinite(ms)) ? limited : undefined
}
