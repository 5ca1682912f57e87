import { toText } from '../../../../api/to-text.ts'
import type { MeetroomError } from '../../../../errors.ts'
import { OutputFile } from '../../../../files/output-file.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import type { ReportRow, RoomReport, RowOptions } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Printer } from '../../../output/printer.ts'
import type { Item } from '../../../output/views/views.ts'
import { formatFailedSection, formatPageEnd, formatPageStart, formatRoomSection } from './page.ts'

interface WebPageOptions extends RowOptions {
  rooms: number
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  /** Time of the report, in milliseconds since 1970. */
  now: number
  zone: TimeZone
  printer: Printer
}

export class WebPage {
  readonly #file: OutputFile
  readonly #about: WebPageOptions
  #rooms = 0

  private constructor(file: OutputFile, about: WebPageOptions) {
    this.#file = file
    this.#about = about
  }

  /**
   * @throws {UsageError | OutputError} if the file cannot be written
   */
  static async open(path: string, cwd: string, about: WebPageOptions): Promise<WebPage> {
    return new WebPage(await OutputFile.open(path, cwd), about)
  }

  async room(report: RoomReport): Promise<void> {
    await this.#begin(report.room)
    const { minMinutes, absent, printer, zone } = this.#about
    const shown = (text: string) => printer.makeVisible(text)
    await this.#file.write(
      formatRoomSection(report, { minMinutes, absent, number: this.#rooms, shown, zone }),
    )
  }

  async rows(_lines: readonly ReportRow[]): Promise<void> {}

  async failed(room: Item, error: MeetroomError): Promise<void> {
    await this.#begin(room)
    await this.#file.write(
      formatFailedSection(room, error.message, (text) => this.#about.printer.makeVisible(text)),
    )
  }

  async close(isComplete: boolean): Promise<void> {
    if (this.#rooms === 0) await this.#begin({})
    await this.#file.close(formatPageEnd(isComplete))
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
