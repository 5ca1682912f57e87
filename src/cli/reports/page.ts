import { createHash } from 'node:crypto'
import { plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { MeetroomError } from '../../errors.ts'
import { OutputFile } from '../../files/output-file.ts'
import type { Host, Visible } from '../../host.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import { markup } from '../output/html.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Item } from '../output/views/views.ts'
import { selectRoomSubject } from './group-by.ts'
import { Activity } from './page-charts.ts'
import {
  describeTable,
  formatMeetings,
  formatRoomSection,
  formatTableRows,
  formatTableStart,
  nameRoom,
  type PageOptions,
  type PageTableOptions,
  tableEnd,
} from './page-table.ts'
import type { RoomReport } from './people.ts'
import type { ReportRow, RowScale } from './rows.ts'

interface WebPageOptions extends PageOptions {
  rooms: number
}

/** Self-contained page, which has no scripts and no external resources. */
export class WebPage {
  readonly #file: OutputFile
  readonly #options: WebPageOptions
  readonly #activity: Activity
  #rooms = 0
  #hasCharts = false
  #table: PageTableOptions | undefined

  private constructor(file: OutputFile, options: WebPageOptions) {
    this.#file = file
    this.#options = options
    this.#activity = new Activity(options)
  }

  /** @throws {UsageError | OutputError} if the file cannot be written */
  static async open(path: string, host: Host, options: WebPageOptions): Promise<WebPage> {
    return new WebPage(await OutputFile.open(path, host), options)
  }

  /** Adds the attendance of a room to the charts, and adds a section unless the report consists of sums. */
  async room(report: RoomReport): Promise<void> {
    await this.#activity.add(report)
    await this.#begin(report.room)
    if (selectRoomSubject(this.#options.grouping))
      await this.#file.write(formatRoomSection(report, this.#rooms, this.#options).text)
  }

  /** Adds rows that are sums. In a report by meeting, they belong to the room added last. */
  async rows(lines: readonly ReportRow[], scale: RowScale): Promise<void> {
    const [first] = lines
    if (!first) return
    if (this.#options.grouping.subject === 'meeting')
      return this.#file.write(formatMeetings(lines, this.#rooms, this.#options).text)
    if (!this.#table) {
      await this.#writeCharts()
      this.#table = describeTable(first.row, scale, this.#options)
      await this.#file.write(
        markup`<section aria-labelledby="totals">
<h2 id="totals">${this.#table.caption}</h2>
${formatTableStart(this.#table)}`.text,
      )
    }
    await this.#file.write(formatTableRows(lines, this.#table).text)
  }

  async failed(room: Item, error: MeetroomError): Promise<void> {
    await this.#begin(room)
    const { shown } = this.#options
    await this.#file.write(
      markup`<section class="failed">
<h2><bdi>${nameRoom(room, shown)}</bdi></h2>
<p>Room ${shown(toText(room['id']))} could not be reported on: ${shown(error.message)}</p>
</section>
`.text,
    )
  }

  async close(isComplete: boolean): Promise<void> {
    if (this.#rooms === 0) await this.#begin({})
    if (this.#table) await this.#file.write(markup`${tableEnd}</section>\n`.text)
    await this.#writeCharts()
    await this.#file.close(formatPageEnd(isComplete))
  }

  async #writeCharts(): Promise<void> {
    if (this.#hasCharts) return
    this.#hasCharts = true
    await this.#file.write(this.#activity.format().text)
  }

  async #begin(room: Item): Promise<void> {
    if (this.#rooms++ > 0) return
    await this.#file.write(formatPageStart(room, this.#options))
  }
}

function formatPageStart(room: Item, { rooms, shown, span, now, zone }: WebPageOptions): string {
  const name = nameRoom(room, shown)
  const where = rooms === 1 && name !== '' ? name : own`${rooms} ${visible(plural(rooms, 'room'))}`
  const timeOf = (ms: number) => formatMinute(ms, zone)
  const ends = span.map((ms, i) => (Number.isFinite(ms) ? ` ${i === 0 ? 'from' : 'to'} ${timeOf(ms)}` : ''))
  return formatPageHead(own`Attendance in ${where}${visible(ends.join(''))}`, zone, now)
}

function formatMinute(ms: number, zone: TimeZone): string {
  return `${zone.formatDay(ms)} ${zone.formatClock(ms)}`
}

/** Formats the beginning of a page, up to its content. */
export function formatPageHead(title: Visible, zone: TimeZone, now: number): string {
  const hash = visible(createHash('sha256').update(pageStyle).digest('base64'))
  const head = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>`
  const body = markup`</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p>As of ${visible(formatMinute(now, zone))}. Times are those of ${visible(zone.name)}.</p>
</header>
<main>
`
  return head.text + pageStyle + body.text
}

function formatPageEnd(isComplete: boolean): string {
  const warning = isComplete
    ? markup``
    : markup`<section class="failed"><h2>Incomplete</h2><p>Some rooms could not be reported on.</p></section>
`
  return markup`${warning}</main>
<footer><p>Overlapping connections of a person count once. The share is that of the time in which anybody was there.</p></footer>
</body>
</html>
`.text
}

const pageStyle = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c6470; --line: #d5d9df; --paper: #fff; --there: #1a7f4b; --time: #e8ebef; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #a0a8b4; --line: #3a4048; --paper: #16181c; --there: #3fb27f; --time: #2a2f36; --bad: #ff8a80 } }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
h1 { margin: 0; font-size: 1.6rem }
h2 { margin: 2.5rem 0 0; font-size: 1.2rem; overflow-wrap: anywhere }
p, caption, footer { color: var(--dim) }
p { margin: .2rem 0 }
.failed p { color: var(--bad) }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
th, td { padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); text-align: start; font-weight: normal; white-space: nowrap; vertical-align: middle }
thead th { color: var(--dim); font-size: .85rem }
tbody th { font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 8rem }
td.id { white-space: normal; overflow-wrap: anywhere; min-width: 5rem }
.number { text-align: end }
.time { width: 40%; min-width: 14rem; padding-inline-end: 0 }
.axis { display: flex; justify-content: space-between; gap: 1rem }
.absent th, .absent td { color: var(--dim) }
svg { display: block; width: 100%; height: 1rem }
svg.chart { height: 8rem; border-bottom: 1px solid var(--line) }
.charts details { color: var(--dim) }
.charts details table { width: auto }
.meeting { fill: var(--time) }
.there, .bar { fill: var(--there) }
footer { margin-top: 3rem; font-size: .85rem }
@media print {
  :root { color-scheme: light; --text: #000; --dim: #444; --line: #bbb; --paper: #fff; --there: #1a7f4b; --time: #e8ebef }
  body { margin: 0; max-width: none; font-size: 9pt }
  .wide { overflow: visible }
  h2 { break-after: avoid }
  tr { break-inside: avoid }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact }
}
`
