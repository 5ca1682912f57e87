import { createHash } from 'node:crypto'
import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { MeetroomError } from '../../errors.ts'
import { OutputFile } from '../../files/output-file.ts'
import type { Host, Visible } from '../../host.ts'
import { describePeriod } from '../calendar/period.ts'
import type { TimeZone } from '../calendar/time-zone.ts'
import { type Html, markup } from '../output/html.ts'
import { own, visible } from '../output/terminal/visible.ts'
import type { Item } from '../output/views/views.ts'
import { selectRoomSubject } from './group-by.ts'
import { Activity } from './page-charts.ts'
import {
  describeTable,
  formatFootnotes,
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
import { isListed } from './plan.ts'
import { listUserRows, type ReportRow, type RowScale, summarizeRoom } from './rows.ts'

interface WebPageOptions extends PageOptions {
  rooms: number
}

/** Maximum sizes in bytes, because browsers are slow with larger pages. */
const limits = { summary: 550_000, details: 1_350_000 }

/** Self-contained page without scripts. `close` writes the page, because its title may count the rooms. */
export class WebPage {
  readonly #file: OutputFile
  readonly #options: WebPageOptions
  readonly #activity: Activity
  readonly #parts: string[] = []
  readonly #failures: Html[] = []
  readonly #summary: ReportRow[] = []
  #bytes = 0
  #rooms = 0
  #left = { sections: 0, rows: 0 }
  /** Room in the title of a page on one room. */
  #shown: Item | undefined
  #shownRooms = 0
  #table: PageTableOptions | undefined

  private constructor(file: OutputFile, options: WebPageOptions) {
    this.#file = file
    this.#options = options
    this.#activity = new Activity(options)
  }

  /** @throws {UsageError | OutputError | InterruptedError} if the file cannot be opened */
  static async open(path: string, host: Host, options: WebPageOptions): Promise<WebPage> {
    return new WebPage(await OutputFile.open(path, host), options)
  }

  async room(report: RoomReport): Promise<void> {
    const { rooms, grouping, onlyAbsent } = this.#options
    if (!onlyAbsent) await this.#activity.add(report)
    this.#rooms++
    const isEmpty = report.attendance.participants.length === 0 && (report.absent ?? []).length === 0
    if (isEmpty && rooms > 1) return
    this.#shownRooms++
    if (this.#shownRooms === 1) this.#shown = report.room
    const hasSection = selectRoomSubject(grouping) !== undefined
    if (hasSection || grouping.subject === 'meeting') this.#summary.push(summarizeRoom(report))
    const id = visible(`room-${this.#rooms}`)
    const hasRows =
      !onlyAbsent || listUserRows(report, this.#options).some(({ row }) => isListed(row, this.#options))
    if (hasSection && hasRows) this.#addSection(id, () => formatRoomSection(report, id, this.#options))
  }

  /** Adds rows of sums. In a report by meeting, the rows belong to the room added last. */
  async rows(lines: readonly ReportRow[], scale: RowScale): Promise<void> {
    const [first] = lines
    if (!first) return
    if (this.#options.grouping.subject === 'meeting') {
      const id = visible(`meeting-${this.#rooms}`)
      for (const section of formatMeetings(lines, id, this.#options))
        this.#addSection(own`${id}-1`, () => section)
      return
    }
    const table = this.#table ?? describeTable(first.row, scale, this.#options)
    this.#table = table
    for (const line of lines) if (!this.#add(() => formatTableRows([line], table))) this.#left.rows++
  }

  async failed(room: Item, error: MeetroomError): Promise<void> {
    const { shown } = this.#options
    this.#shown ??= room
    this.#failures.push(markup`<section class="failed">
<h2><bdi>${nameRoom(room, shown)}</bdi></h2>
<p>Room ${shown(toText(room['id']))} could not be read: ${shown(error.message)}</p>
</section>
`)
  }

  async close(isComplete: boolean): Promise<void> {
    const { rooms, grouping, span, now, zone, onlyAbsent } = this.#options
    const [start, end] = this.#formatTotals()
    const empty = this.#rooms - this.#shownRooms
    const isOne = this.#shown && (rooms === 1 || this.#shownRooms === 1)
    const name = isOne && this.#shown ? nameRoom(this.#shown, this.#options.shown) : own``
    const where = name === '' ? visible(counted(this.#shownRooms, 'room')) : name
    const emptyRooms = counted(empty, this.#shownRooms === 0 ? 'room' : 'other room')
    const left = counted(this.#left.sections, grouping.subject === 'meeting' ? 'meeting' : 'room')
    const notes: string[] = []
    if (empty > 0) notes.push(`Nobody was in ${emptyRooms}.`)
    if (this.#left.sections > 0)
      notes.push(
        `The size of this report is limited, so it omits the details of ${left}. A report on fewer rooms shows all details.`,
      )
    const charts = this.#activity.format().text
    const subject = grouping.hasPeak
      ? own`Usage`
      : own`${onlyAbsent ? own`Absences` : own`Attendance`} in ${where}`
    const title = own`${subject}${visible(describePeriod(span, zone))}`
    await this.#file.write(formatPageHead(title, zone, now, notes))
    await this.#file.write(this.#table ? charts + start.text : this.#formatSummary().text)
    for (const part of this.#parts) await this.#file.write(part)
    await this.#file.write(end.text + markup`${this.#failures}`.text + (this.#table ? '' : charts))
    const warning = markup`<section class="failed"><h2>Incomplete</h2><p>Some rooms could not be read.</p></section>
`
    await this.#file.close(
      markup`${isComplete ? markup`` : warning}</main>
<footer><p>${formatFootnotes(!this.#table && this.#parts.length > 0)}</p></footer>
</body>
</html>
`.text,
    )
  }

  /** @param first target of the link in the summary */
  #addSection(first: Visible, format: () => Html): void {
    const line = this.#summary.at(-1)
    if (!this.#add(format)) this.#left.sections++
    else if (line) line.section = first
  }

  /** Adds a part. Returns false above the limit; all later parts are then also omitted. */
  #add(format: () => Html): boolean {
    if (this.#bytes > limits.details) return false
    const { text } = format()
    this.#bytes += Buffer.byteLength(text)
    if (this.#bytes > limits.details) return false
    this.#parts.push(text)
    return true
  }

  #formatTotals(): [Html, Html] {
    if (!this.#table) return [markup``, markup``]
    return [
      markup`<section aria-labelledby="totals">
<h2 id="totals">${this.#table.caption}</h2>
${formatTableStart(this.#table)}`,
      markup`${tableEnd}${formatOmission(this.#left.rows, 'row')}</section>
`,
    ]
  }

  #formatSummary(): Html {
    const { onlyAbsent } = this.#options
    const summary = this.#summary.filter(({ section }) => section || !onlyAbsent)
    if (summary.length < 2) return markup``
    const most = summary.reduce((most, { row }) => Math.max(most, Number(row['room_minutes'])), 0.1)
    const { zone, shown } = this.#options
    const table: PageTableOptions = {
      ...{ zone, shown, most, span: undefined, caption: own`Rooms`, label: own`Rooms` },
      fields: ['room_name', 'participants', 'first_in', 'last_out', 'room_minutes'],
    }
    const rows: Html[] = []
    let bytes = 0
    for (const line of summary) {
      const row = formatTableRows([line], table)
      bytes += Buffer.byteLength(row.text)
      if (bytes > limits.summary) break
      rows.push(row)
    }
    const note = formatOmission(summary.length - rows.length, 'room')
    return markup`<section aria-labelledby="rooms">
<h2 id="rooms">Rooms</h2>
${formatTableStart(table)}${rows}${tableEnd}${note}</section>
`
  }
}

function formatOmission(count: number, what: 'row' | 'room'): Html {
  if (count === 0) return markup``
  return markup`<p>${visible(`${counted(count, `more ${what}`)} in CSV and JSON.`)}</p>
`
}

export function formatPageHead(
  title: Visible,
  zone: TimeZone,
  now: number,
  notes: readonly string[] = [],
): string {
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
<p>As of ${visible(`${zone.formatDay(now)} ${zone.formatClock(now)}`)}. Time zone: ${visible(zone.name)}.</p>
${notes.map(
  (note) => markup`<p>${visible(note)}</p>
`,
)}</header>
<main>
`
  return head.text + pageStyle + body.text
}

const pageStyle = `
:root { color-scheme: light dark; --text: #1c1e21; --dim: #5c6470; --line: #d5d9df; --paper: #fff; --there: #1a7f4b; --time: #e8ebef; --bad: #b42318 }
@media (prefers-color-scheme: dark) { :root { --text: #e6e8eb; --dim: #a0a8b4; --line: #3a4048; --paper: #16181c; --there: #3fb27f; --time: #2a2f36; --bad: #ff8a80 } }
body { margin: 2rem auto; max-width: 75rem; padding: 0 1rem; background: var(--paper); color: var(--text); font: 1rem/1.5 system-ui, sans-serif }
a { color: inherit }
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
tbody th { position: sticky; left: 0; background: var(--paper); font-weight: 600; white-space: normal; overflow-wrap: anywhere; min-width: 11rem }
th small { display: block; color: var(--dim); font-size: .7rem; font-weight: normal }
.number { text-align: end }
.time { width: 40%; min-width: 14rem; padding-inline-end: 0 }
.axis { display: flex; justify-content: space-between; gap: 1rem }
.absent th, .absent td { color: var(--dim) }
svg { display: block; width: 100%; height: 1rem }
svg.chart { height: 8rem; border-bottom: 1px solid var(--line) }
.plot { display: grid; grid-template-columns: auto 1fr; gap: .2rem .6rem; margin-top: .6rem; font-size: .85rem }
.plot p { grid-column: 2; margin: 0 }
.plot .scale { grid-column: 1; display: flex; flex-direction: column; justify-content: space-between; text-align: end; line-height: 1 }
.unit { text-align: center }
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
