import { createHash } from 'node:crypto'
import { counted, plural } from '../../../../api/plural.ts'
import { toText } from '../../../../api/to-text.ts'
import type { Visible } from '../../../../host.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { computeMinutes, computeSpan } from '../../../attendance/measures.ts'
import { type RoomReport, type RowOptions, userRows } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import type { Item } from '../../../output/views/views.ts'
import { markup } from './html.ts'
import { pageStyle } from './page-style.ts'
import { formatTable } from './page-table.ts'

interface PageOptions {
  rooms: Visible | number
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
  zone: TimeZone
}

type MakeVisible = (text: string) => Visible

/** Returns the start of a self-contained page, which has no scripts and no external resources. */
export function formatPageStart({ rooms, span, now, zone }: PageOptions): string {
  const hash = visible(createHash('sha256').update(pageStyle).digest('base64'))
  const what = own`Attendance in ${rooms}${typeof rooms === 'number' ? own` ${visible(plural(rooms, 'room'))}` : own``}${formatSpan(span, zone)}`
  const made = visible(`${zone.formatDay(now)} ${zone.formatClock(now)}`)
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${what}</title>
<style>`.text
    .concat(pageStyle)
    .concat(
      markup`</style>
</head>
<body>
<header>
<h1>${what}</h1>
<p>As of ${made}. Times are those of ${visible(zone.name)}.</p>
</header>
<main>
`.text,
    )
}

/** Describes a span: ` from 2026-01-31 08:00 to 2026-01-31 09:00`. Omits an infinite start or end. */
function formatSpan(span: Interval, zone: TimeZone): Visible {
  const words = span.map((ms, i) =>
    Number.isFinite(ms) ? ` ${i === 0 ? 'from' : 'to'} ${zone.formatDay(ms)} ${zone.formatClock(ms)}` : '',
  )
  return visible(words.join(''))
}

export function formatPageEnd(isComplete: boolean): string {
  const warning = isComplete
    ? markup``
    : markup`<section class="failed"><h2>Incomplete</h2><p>Some rooms could not be reported on.</p></section>
`
  return markup`${warning}</main>
<footer><p>Time with several connections at once counts once. The share is that of the time in which anybody was there.</p></footer>
</body>
</html>
`.text
}

export function formatRoomSection(
  report: RoomReport,
  { number, shown, zone, ...options }: RowOptions & { number: number; shown: MakeVisible; zone: TimeZone },
): string {
  const { room, attendance } = report
  const people = userRows(report, options)
  const id = shown(toText(room['id']))
  const name = shown(toText(room['name']) || toText(room['id']))
  const span = computeSpan(attendance.meeting)
  return markup`<section aria-labelledby="room-${number}">
<h2 id="room-${number}"><bdi>${name}</bdi></h2>
<p>Room ${id}. ${span ? formatSummary(report, span, zone) : own`Nobody was there.`}</p>
${people.length > 0 ? formatTable(people, { ...describePeople(name), fields: peopleFields, span, shown, zone }) : markup``}</section>
`.text
}

const peopleFields = [
  ...['name', 'user_id', 'first_in', 'last_out', 'connections', 'minutes', 'share', 'present'],
]

function describePeople(name: Visible): { caption: Visible; label: Visible } {
  return { caption: own`Who was in ${name}, and when`, label: own`Attendance in ${name}` }
}

export function formatFailedSection(room: Item, message: string, shown: MakeVisible): string {
  const name = shown(toText(room['name']) || toText(room['id']))
  return markup`<section class="failed">
<h2><bdi>${name}</bdi></h2>
<p>Room ${shown(toText(room['id']))} could not be reported on: ${shown(message)}</p>
</section>
`.text
}

function formatSummary(
  { attendance: { participants, meeting } }: RoomReport,
  [start, end]: Interval,
  zone: TimeZone,
): Visible {
  const timeOf = zone.createFormat([start, end])
  const last = zone.dayOf(start) === zone.dayOf(end) ? zone.formatClock(end) : timeOf(end)
  return visible(
    `${zone.formatDay(start)} ${zone.formatClock(start)} to ${last}, ${computeMinutes(meeting).toFixed(1)} minutes, ${counted(participants.length, 'participant')}.`,
  )
}
