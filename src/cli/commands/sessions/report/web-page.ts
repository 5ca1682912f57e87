import { toText } from '../../../../api/to-text.ts'
import type { MeetroomError } from '../../../../errors.ts'
import { OutputFile } from '../../../../files/output-file.ts'
import type { Host, Visible } from '../../../../host.ts'
import { Activity } from '../../../attendance/activity.ts'
import { type Grouping, selectRoomSubject } from '../../../attendance/groupings.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { RoomReport, RowOptions } from '../../../attendance/rows.ts'
import type { RowChunk } from '../../../attendance/totals.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Printer } from '../../../output/printer.ts'
import type { Item } from '../../../output/views/views.ts'
import { formatFailedSection, formatPageEnd, formatPageStart, formatRoomSection } from './page.ts'
import { formatCharts } from './page-charts.ts'
import { formatTableRows, type TableOptions } from './page-table.ts'
import { describeTotals, formatMeetings, formatTotalsStart, totalsEnd } from './page-totals.ts'

interface WebPageOptions extends RowOptions {
  grouping: Grouping
  /** Shortest pause between two meetings of a room, in milliseconds. */
  gapMs: number
  rooms: number
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
  zone: TimeZone
  printer: Printer
  interrupt: AbortSignal
}

export class WebPage {
  readonly #file: OutputFile
  readonly #about: WebPageOptions
  readonly #activity: Activity
  readonly #shown: (text: string) => Visible
  #rooms = 0
  #hasCharts = false
  #totals: TableOptions | undefined

  private constructor(file: OutputFile, about: WebPageOptions) {
    this.#file = file
    this.#about = about
    this.#activity = new Activity(about)
    this.#shown = (text) => about.printer.makeVisible(text)
  }

  /** @throws {UsageError | OutputError} if the file cannot be written */
  static async open(path: string, host: Host, about: WebPageOptions): Promise<WebPage> {
    return new WebPage(await OutputFile.open(path, host), about)
  }

  /** Adds the attendance of a room to the charts, and adds a section unless the report consists of totals. */
  async room(report: RoomReport): Promise<void> {
    await this.#activity.add(report)
    await this.#begin(report.room)
    const { grouping, minMinutes, absent, zone } = this.#about
    if (!selectRoomSubject(grouping)) return
    await this.#file.write(
      formatRoomSection(report, { minMinutes, absent, number: this.#rooms, shown: this.#shown, zone }),
    )
  }

  /** Adds rows of totals. In a report by meeting, they belong to the room added last. */
  async rows(chunk: RowChunk): Promise<void> {
    const options = { ...this.#about, shown: this.#shown, number: this.#rooms }
    if (options.grouping.subject === 'meeting')
      return this.#file.write(formatMeetings(chunk.lines, options).text)
    if (!this.#totals) {
      await this.#writeCharts()
      this.#totals = describeTotals(chunk, options)
      await this.#file.write(formatTotalsStart(this.#totals).text)
    }
    await this.#file.write(formatTableRows(chunk.lines, this.#totals).text)
  }

  async failed(room: Item, error: MeetroomError): Promise<void> {
    await this.#begin(room)
    await this.#file.write(formatFailedSection(room, error.message, this.#shown))
  }

  async close(isComplete: boolean): Promise<void> {
    if (this.#rooms === 0) await this.#begin({})
    if (this.#totals) await this.#file.write(totalsEnd.text)
    await this.#writeCharts()
    await this.#file.close(formatPageEnd(isComplete))
  }

  async #writeCharts(): Promise<void> {
    if (this.#hasCharts) return
    this.#hasCharts = true
    await this.#file.write(formatCharts(this.#activity).text)
  }

  async #begin(room: Item): Promise<void> {
    if (this.#rooms++ > 0) return
    const { rooms, span, now, printer, zone } = this.#about
    const name = printer.makeVisible(toText(room['name']) || toText(room['id']))
    await this.#file.write(
      formatPageStart({ rooms: rooms === 1 && name !== '' ? name : rooms, span, now, zone }),
    )
  }
}
