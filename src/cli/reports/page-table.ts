import { addTo } from '../../api/group-by.ts'
import { counted, listNames } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Visible } from '../../host.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import { drawSvgBar, drawSvgTimeline } from '../output/bars.ts'
import { type Html, markup } from '../output/html.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { RowFields } from '../output/views/define-row.ts'
import { rowsOfReports } from '../output/views/report-rows.ts'
import type { Item } from '../output/views/views.ts'
import { computeMinutes, computeSpan, formatMinutes, type Interval, unlimited } from './minutes.ts'
import type { RoomReport } from './people.ts'
import { type AbsentPlan, isListed, listConstantFields, type ReportPlan } from './plan.ts'
import { listUserRows, type ReportRow, type RowScale, readRowTime } from './rows.ts'
import { findMeetings, type Meeting } from './visits.ts'

export interface PageOptions extends ReportPlan {
  shown: (text: string) => Visible
}

export interface PageTableOptions extends Pick<PageOptions, 'zone' | 'shown'> {
  caption: Visible
  label: Visible
  /** Fields in column order. The first field is the row heading. */
  fields: readonly string[]
  /** Span of the timelines, in milliseconds since 1970; undefined for minute bars, or without attendance. */
  span: Interval | undefined
  /** Parts of the span that the timelines show; by default the whole span. */
  parts?: readonly Interval[] | undefined
  /** Scale of the bars, in minutes; undefined for timelines. */
  most?: number | undefined
}

const shapes = Object.values(rowsOfReports).flatMap((kinds) => kinds.map(({ shape }) => shape))
const allFields: RowFields = Object.assign({}, ...shapes)
const numbers = new Set(
  Object.keys(allFields).filter((field) => /^(integer|number)/.test(String(allFields[field]?.[0]))),
)
/** Fields without a column in tables of sums. */
const unshown = ['room_id', 'user_id', 'counted_from']
const maxLabelIntervals = 20
/** Span above which meetings are too narrow on a timeline, in milliseconds. */
const maxWholeSpanMs = 36 * 3_600_000
const maxParts = 200
const maxAxisLabels = 6

export function formatRoomSection(report: RoomReport, id: Visible, options: PageOptions): Html {
  const { room, attendance } = report
  const { meeting, participants } = attendance
  const name = nameRoom(room, options.shown)
  const span = computeSpan(meeting)
  return formatSection(listUserRows(report, options), {
    ...options,
    ...{ room, span, id, heading: markup`<bdi>${name}</bdi>` },
    parts: span && selectParts(span, meeting, options.gapMs),
    words: span
      ? describeMeeting(span, computeMinutes(meeting), participants.length, options.zone)
      : own`Nobody was in the room.`,
    ...{ caption: own`Participants of ${name}, with times`, label: own`Attendance in ${name}` },
    fields: ['name', 'first_in', 'last_out', 'connections', 'minutes', 'share', 'present'],
  })
}

/** Splits a span above `maxWholeSpanMs` into its meetings, unless there are more than `maxParts`. */
function selectParts(span: Interval, meeting: readonly Interval[], gapMs: number): readonly Interval[] {
  if (span[1] - span[0] <= maxWholeSpanMs) return [span]
  const meetings = findMeetings(meeting, gapMs)
  return meetings.length <= maxParts ? meetings.map(({ start, end }) => [start, end]) : [span]
}

/** @param id prefix of the section IDs, before a number from 1 */
export function formatMeetings(lines: readonly ReportRow[], id: Visible, options: PageOptions): Html[] {
  const meetings = new Map<Meeting, ReportRow[]>()
  for (const line of lines) if (line.meeting) addTo(meetings, line.meeting, line)
  const listed = [...meetings].filter(([, people]) => people.some(({ row }) => isListed(row, options)))
  return listed.map(([meeting, people], i) => {
    const { number, start, end, intervals, isRunning } = meeting
    const { room_id, room_name } = people[0]?.row ?? {}
    const name = nameRoom({ id: room_id, name: room_name }, options.shown)
    const present = people.filter(({ row }) => row['present'] === true).length
    const minutes = computeMinutes(intervals)
    return formatSection(people, {
      ...options,
      ...{ room: { id: room_id }, span: [start, end], id: own`${id}-${visible(String(i + 1))}` },
      heading: markup`<bdi>${name}</bdi>, meeting ${number}`,
      words: describeMeeting([start, end], minutes, present, options.zone, isRunning),
      label: own`Attendance in ${name}, meeting ${number}`,
      caption: own`Participants of ${name}, meeting ${number}, with times`,
      fields: ['name', 'role', 'first_in', 'last_out', 'room_minutes', 'share', 'present'],
    })
  })
}

function formatSection(
  people: readonly ReportRow[],
  options: PageTableOptions & AbsentPlan & { id: Visible; heading: Html; room: Item; words: Visible },
): Html {
  const { id, heading, room, words, shown } = options
  const listed = people.filter(({ row }) => isListed(row, options))
  const sorted = listed.toSorted((a, b) => Number(a.row['present']) - Number(b.row['present']))
  const constant = listConstantFields(options)
  const table = { ...options, fields: options.fields.filter((field) => !constant.includes(field)) }
  return markup`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
<p>Room ${shown(toText(room['id']))}. ${words}</p>
${sorted.length > 0 ? markup`${formatTableStart(table)}${formatTableRows(sorted, table)}${tableEnd}` : markup``}</section>
`
}

export function nameRoom({ name, id }: Item, shown: PageOptions['shown']): Visible {
  return shown(toText(name) || toText(id))
}

function describeMeeting(
  [start, end]: Interval,
  minutes: number,
  people: number,
  zone: TimeZone,
  isRunning = false,
): Visible {
  const last =
    zone.dayOf(start) === zone.dayOf(end) ? zone.formatClock(end) : zone.createFormat([start, end])(end)
  return visible(
    `${zone.formatDay(start)} ${zone.formatClock(start)} to ${isRunning ? 'now' : last}, ${formatMinutes(minutes)} minutes, ${counted(people, 'participant')}.`,
  )
}

const headings: Readonly<Record<string, string>> = {
  'user-total': 'People',
  user: 'People in rooms',
  room: 'Rooms',
}

export function describeTable(
  row: Item,
  { most, bounds }: RowScale,
  { grouping, span: limits, zone, shown }: PageOptions,
): PageTableOptions {
  const { subject, unit, isUnitFirst } = grouping
  const heading = [headings[subject ?? ''], unit && `by ${unit}`].filter(Boolean).join(' ')
  const name = visible(heading.charAt(0).toUpperCase() + heading.slice(1))
  const known = Object.keys(row).filter((field) => !unshown.includes(field))
  const label = known.includes('name') ? 'name' : known.includes('room_name') ? 'room_name' : (unit ?? '')
  const heads = isUnitFirst && unit ? unit : label
  const [start = Number.NaN, end = Number.NaN] = limits.map((ms, i) => (Number.isFinite(ms) ? ms : bounds[i]))
  // On the timeline of a longer span, meetings would be too small to see.
  const hasTimelines = subject === 'user-total' && unit === undefined && end - start <= maxWholeSpanMs
  // Timelines already show the first entry and the last exit.
  const isShown = (field: string) => !(hasTimelines && ['first_in', 'last_out'].includes(field))
  return {
    ...{ caption: name, label: name, shown, zone },
    fields: [heads, ...known.filter((field) => field !== heads && isShown(field))],
    span: hasTimelines && start <= end ? [start, end] : undefined,
    most: hasTimelines ? undefined : most,
  }
}

export function formatTableStart(options: PageTableOptions): Html {
  const { caption, label, fields } = options
  const labels = listAxisLabels(options).map((text) => markup`<span>${visible(text)}</span>`)
  const head = fields.map((field) =>
    numbers.has(field)
      ? markup`<th scope="col" class="number">${titleOf(field)}</th>`
      : markup`<th scope="col">${titleOf(field)}</th>`,
  )
  return markup`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table>
<caption>${caption}</caption>
<thead><tr>${head}<th scope="col" class="time"><span class="axis">${labels}</span></th></tr></thead>
<tbody>
`
}

function listAxisLabels({ span, parts = [], most, zone }: PageTableOptions): string[] {
  if (most !== undefined) return ['0 minutes', `${formatMinutes(most)} minutes`]
  if (!span) return []
  if (parts.length <= 1) return span.map(zone.createFormat(span))
  const days = [...new Set(parts.map(([start]) => zone.formatDay(start)))]
  return days.length <= maxAxisLabels
    ? days
    : [0, 1, 2, 3].map((i) => days[Math.round((i * (days.length - 1)) / 3)] ?? '')
}

/** Formats a field as the heading of a column: `user_id` becomes `User ID`. */
export function titleOf(field: string): Visible {
  const words = field === 'room_name' ? 'room' : field.replaceAll('_', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return visible(title.replace(/\b(ci|id)\b/gi, (word) => word.toUpperCase()))
}

export function formatTableRows(lines: readonly ReportRow[], options: PageTableOptions): Html {
  return markup`${lines.map((line) => formatRow(line, options))}`
}

export const tableEnd = markup`</tbody>
</table></div>
`

function formatRow(line: ReportRow, options: PageTableOptions): Html {
  const { fields, span, parts, most, zone } = options
  const { row, intervals } = line
  const isAbsent = row['present'] === false || row['meetings'] === 0
  const cells = fields.map((field, i) => {
    const cell = formatCell(field, line, options)
    if (i === 0) return markup`<th scope="row">${cell}</th>`
    return numbers.has(field) ? markup`<td class="number">${cell}</td>` : markup`<td>${cell}</td>`
  })
  const drawing =
    most !== undefined
      ? drawSvgBar(Number(row['room_minutes']) / most)
      : span
        ? drawSvgTimeline(intervals, parts ?? [span], nameIntervals(intervals, span, zone))
        : own``
  return markup`<tr${isAbsent ? markup` class="absent"` : markup``}>${cells}<td class="time">${drawing}</td></tr>
`
}

function formatCell(
  field: string,
  line: ReportRow,
  { span = unlimited, shown, zone }: PageTableOptions,
): Html | Visible | number {
  const { row, isRunning, section } = line
  const value = row[field]
  switch (field) {
    case 'name': {
      const [name, id] = [toText(value), toText(row['user_id'])]
      // A deleted person may have no name, but a row needs a heading.
      const heading = markup`<bdi>${shown(name || id)}</bdi>`
      return name && id ? markup`${heading}<small>${shown(id)}</small>` : heading
    }
    case 'room_name': {
      const name = markup`<bdi>${nameRoom({ name: value, id: row['room_id'] }, shown)}</bdi>`
      return section ? markup`<a href="#${section}">${name}</a>` : name
    }
    case 'last_out':
    case 'first_in':
    case 'peak_time': {
      if (field === 'last_out' && isRunning) return own`still in`
      const ms = readRowTime(field, line)
      if (ms === undefined) return shown(toText(value))
      return markup`<time datetime="${visible(new Date(ms).toISOString())}">${visible(zone.createFormat(span)(ms))}</time>`
    }
    case 'minutes':
    case 'room_minutes':
      return visible(formatMinutes(Number(value)))
    case 'share':
      return typeof value === 'number' ? visible(`${Math.round(value * 100)} %`) : own``
    case 'present':
      return value === true ? own`yes` : own`no`
    default:
      return shown(toText(value))
  }
}

/** Only sections have shares and timelines that omit pauses. */
export function formatFootnotes(hasSections: boolean): Visible {
  const ofSections =
    ' The share is relative to the time during which anybody was in the room. A timeline of several days shows only that time.'
  return visible(`Concurrent connections of a participant count once.${hasSections ? ofSections : ''}`)
}

function nameIntervals(intervals: readonly Interval[], span: Interval, zone: TimeZone): Visible {
  const timeOf = zone.createFormat(span)
  const named = intervals.slice(0, maxLabelIntervals).map(([from, to]) => `${timeOf(from)} to ${timeOf(to)}`)
  return visible(listNames(named, maxLabelIntervals, intervals.length) || 'absent')
}
