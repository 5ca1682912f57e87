import { createHash } from 'node:crypto'
import type { Visible } from '../../host.ts'
import { plainText } from '../output/text.ts'
import type { Item } from '../output/views.ts'
import { own, visible } from '../output/visible.ts'
import { minutesOf, spanOf } from './attendance.ts'
import { clockOf, dayOf, timesWithin, zone } from './clock.ts'
import { type Html, markup } from './html.ts'
import type { Interval } from './intervals.ts'
import { pageStyle } from './page-style.ts'
import { byUser, type Line, type RoomReport, type RowOptions } from './rows.ts'

/** What a page says about itself. */
interface About {
  /** Name of the only room, or number of rooms. */
  rooms: Visible | number
  /** What of the time is reported on, in milliseconds since 1970. */
  span: Interval
  /** When it was made, in milliseconds since 1970. */
  now: number
}

/** Makes text from outside safe to show. */
type Shown = (text: string) => Visible

/** The beginning of a page that needs nothing from elsewhere: no script runs in it, and nothing is loaded. */
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

/** ` from 2026-01-31 08:00 to 2026-01-31 09:00`, as far as it is limited. */
function within(span: Interval): Visible {
  const words = span.map((ms, i) =>
    Number.isFinite(ms) ? ` ${i === 0 ? 'from' : 'to'} ${dayOf(ms)} ${clockOf(ms)}` : '',
  )
  return visible(words.join(''))
}

/** The end of a page. */
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

/**
 * The part of a page about one room.
 * @param number which one of the page it is
 */
export function roomSection(
  report: RoomReport,
  { number, shown, ...options }: RowOptions & { number: number; shown: Shown },
): string {
  const { room, attendance } = report
  const people = byUser(report, options)
  const id = shown(plainText(room['id']))
  const name = shown(plainText(room['name']) || plainText(room['id']))
  const span = spanOf(attendance.meeting)
  return markup`<section aria-labelledby="room-${number}">
<h2 id="room-${number}"><bdi>${name}</bdi></h2>
<p>Room ${id}. ${span ? summaryOf(report, span) : own`Nobody was there.`}</p>
${people.length > 0 ? tableOf(people, { name, span, shown }) : markup``}</section>
`.text
}

/** The part of a page about a room that could not be reported on. */
export function failedSection(room: Item, message: string, shown: Shown): string {
  const name = shown(plainText(room['name']) || plainText(room['id']))
  return markup`<section class="failed">
<h2><bdi>${name}</bdi></h2>
<p>Room ${shown(plainText(room['id']))} could not be reported on: ${shown(message)}</p>
</section>
`.text
}

function summaryOf({ attendance: { participants, meeting } }: RoomReport, [start, end]: Interval): Visible {
  const timeOf = timesWithin([start, end])
  const last = dayOf(start) === dayOf(end) ? clockOf(end) : timeOf(end)
  const people = participants.length === 1 ? '1 participant' : `${participants.length} participants`
  return visible(
    `${dayOf(start)} ${clockOf(start)} to ${last}, ${minutesOf(meeting).toFixed(1)} minutes, ${people}.`,
  )
}

interface TableOptions {
  /** Name of the room. */
  name: Visible
  /** From the first entry to the last exit; undefined when nobody was there. */
  span: Interval | undefined
  shown: Shown
}

function tableOf(people: readonly Line[], options: TableOptions): Html {
  const { name, span } = options
  const [start, end] = span ? span.map((ms) => visible(timesWithin(span)(ms))) : []
  const axis = markup`<span class="axis"><span>${start ?? own``}</span><span>${end ?? own``}</span></span>`
  return markup`<div class="wide" tabindex="0" role="region" aria-label="Attendance in ${name}"><table>
<caption>Who was in ${name}, and when</caption>
<thead><tr><th scope="col">Name</th><th scope="col">User id</th><th scope="col">First in</th><th scope="col">Last out</th><th scope="col" class="number">Connections</th><th scope="col" class="number">Minutes</th><th scope="col" class="number">Share</th><th scope="col">Present</th><th scope="col" class="time">${span ? axis : own`Time`}</th></tr></thead>
<tbody>
${people.map((line) => rowOf(line, options))}</tbody>
</table></div>
`
}

function rowOf({ row, intervals, isRunning }: Line, { span, shown }: TableOptions): Html {
  const isPresent = row['present'] === true
  const share = typeof row['share'] === 'number' ? visible(`${Math.round(row['share'] * 100)} %`) : own``
  const minutes = visible((row['minutes'] as number).toFixed(1))
  const timeOf = span ? timesWithin(span) : clockOf
  const time = (ms: number | undefined) =>
    ms === undefined
      ? own``
      : markup`<time datetime="${visible(new Date(ms).toISOString())}">${visible(timeOf(ms))}</time>`
  const [first, last] = [intervals[0]?.[0], intervals.at(-1)?.[1]]
  const out = isRunning ? own`still in` : row['last_out'] === null ? own`` : time(last)
  return markup`<tr${isPresent ? markup`` : markup` class="absent"`}><th scope="row"><bdi>${shown(plainText(row['name']))}</bdi></th><td class="id"><bdi>${shown(plainText(row['user_id']))}</bdi></td><td>${time(first)}</td><td>${out}</td><td class="number">${row['connections'] as number}</td><td class="number">${minutes}</td><td class="number">${share}</td><td>${isPresent ? own`yes` : own`no`}</td><td class="time">${span ? timeLine(intervals, span) : own``}</td></tr>
`
}

/** Number of stays that the label of a time line names. */
const mostNamed = 20
/** Width of a time line, in units of its own. */
const width = 1000

/** When somebody was there, as a picture and, for those who cannot see it, in words. */
function timeLine(intervals: readonly Interval[], [start, end]: Interval): Html {
  const timeOf = timesWithin([start, end])
  const scale = end > start ? width / (end - start) : 0
  const named = intervals.slice(0, mostNamed).map(([from, to]) => `${timeOf(from)} to ${timeOf(to)}`)
  const more = intervals.length > mostNamed ? [`and ${intervals.length - mostNamed} more`] : []
  const label = visible([...named, ...more].join(', ') || 'not there')
  const bars = intervals.map(([from, to]) => {
    // A moment is to be seen as well.
    const size = Math.max(2, scale === 0 ? width : (to - from) * scale)
    const x = Math.min(width - size, (from - start) * scale)
    return markup`<rect class="there" x="${rounded(x)}" y="3" width="${rounded(size)}" height="10"/>`
  })
  return markup`<svg viewBox="0 0 ${width} 16" preserveAspectRatio="none" role="img" aria-label="${label}"><title>${label}</title><rect class="meeting" x="0" y="3" width="${width}" height="10"/>${bars}</svg>`
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10
}
