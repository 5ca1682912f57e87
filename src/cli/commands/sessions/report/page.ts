import { createHash } from 'node:crypto'
import { textOf } from '../../../../api/text-of.ts'
import type { Visible } from '../../../../host.ts'
import { clockOf, dayOf, timeFormatFor, zone } from '../../../attendance/clock.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { minutesOf, spanOf } from '../../../attendance/measures.ts'
import { byUser, type RoomReport, type RowOptions } from '../../../attendance/rows.ts'
import { own, visible } from '../../../output/terminal/visible.ts'
import type { Item } from '../../../output/views/views.ts'
import { markup } from './html.ts'
import { pageStyle } from './page-style.ts'
import { tableOf } from './page-table.ts'

interface About {
  /** Name of the only room, or number of rooms. */
  rooms: Visible | number
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
}

type Shown = (text: string) => Visible

/** Returns the start of a self-contained page: no scripts, and no resources from elsewhere. */
export function pageStart({ rooms, span, now }: About): string {
  const hash = visible(createHash('sha256').update(pageStyle).digest('base64'))
  const what = own`Attendance in ${rooms}${typeof rooms === 'number' ? own` ${visible(rooms === 1 ? 'room' : 'rooms')}` : own``}${within(span)}`
  const made = visible(`${dayOf(now)} ${clockOf(now)}`)
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
<p>As of ${made}. Times are those of ${visible(zone())}.</p>
</header>
<main>
`.text,
    )
}

/** Describes a span: ` from 2026-01-31 08:00 to 2026-01-31 09:00`. Open ends are omitted. */
function within(span: Interval): Visible {
  const words = span.map((ms, i) =>
    Number.isFinite(ms) ? ` ${i === 0 ? 'from' : 'to'} ${dayOf(ms)} ${clockOf(ms)}` : '',
  )
  return visible(words.join(''))
}

export function pageEnd(isComplete: boolean): string {
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

export function roomSection(
  report: RoomReport,
  { number, shown, ...options }: RowOptions & { number: number; shown: Shown },
): string {
  const { room, attendance } = report
  const people = byUser(report, options)
  const id = shown(textOf(room['id']))
  const name = shown(textOf(room['name']) || textOf(room['id']))
  const span = spanOf(attendance.meeting)
  return markup`<section aria-labelledby="room-${number}">
<h2 id="room-${number}"><bdi>${name}</bdi></h2>
<p>Room ${id}. ${span ? summaryOf(report, span) : own`Nobody was there.`}</p>
${people.length > 0 ? tableOf(people, { name, span, shown }) : markup``}</section>
`.text
}

export function failedSection(room: Item, message: string, shown: Shown): string {
  const name = shown(textOf(room['name']) || textOf(room['id']))
  return markup`<section class="failed">
<h2><bdi>${name}</bdi></h2>
<p>Room ${shown(textOf(room['id']))} could not be reported on: ${shown(message)}</p>
</section>
`.text
}

function summaryOf({ attendance: { participants, meeting } }: RoomReport, [start, end]: Interval): Visible {
  const timeOf = timeFormatFor([start, end])
  const last = dayOf(start) === dayOf(end) ? clockOf(end) : timeOf(end)
  const people = participants.length === 1 ? '1 participant' : `${participants.length} participants`
  return visible(
    `${dayOf(start)} ${clockOf(start)} to ${last}, ${minutesOf(meeting).toFixed(1)} minutes, ${people}.`,
  )
}
