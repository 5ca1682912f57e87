import { toText } from '../../api/to-text.ts'
import type { Host } from '../../host.ts'
import { drawAxis, drawBar, drawTimeline } from '../output/bars.ts'
import { canShowUnicode } from '../output/terminal/unicode.ts'
import type { Item, View } from '../output/views/views.ts'
import { selectRoomSubject } from './group-by.ts'
import { type Interval, unlimited } from './minutes.ts'
import { listConstantFields, type ReportPlan } from './plan.ts'
import { type ReportRow, type Rows, readRowTime } from './rows.ts'

export class ReportTable {
  readonly view: View
  readonly #host: Host
  readonly #plan: ReportPlan
  readonly #isOneRoom: boolean
  readonly #isOfRoom: boolean
  /** True if all timelines have the span of the report. */
  readonly #hasOneSpan: boolean
  readonly #drawn = new WeakMap<Item, Pick<ReportRow, 'row' | 'intervals' | 'span'>>()
  #axis: Interval | undefined
  #most = 1

  /** @param view fields and columns of the rows, without drawings */
  constructor(host: Host, view: View, plan: ReportPlan, isOneRoom: boolean) {
    this.#host = host
    this.#plan = plan
    this.#isOneRoom = isOneRoom
    const { grouping, absent, onlyAbsent, minMinutes, span } = plan
    const subject = selectRoomSubject(grouping)
    this.#isOfRoom = subject !== undefined
    this.#hasOneSpan = subject === 'room' && span.every((ms) => Number.isFinite(ms))
    const isMeeting = grouping.subject === 'meeting'
    const constant = listConstantFields(plan)
    const hasTimelines = this.#isOfRoom || isMeeting
    // The usage of all rooms is one row.
    const hasBars = (!grouping.hasPeak || grouping.subject !== undefined) && !constant.includes('minutes')
    // In each of these cases, the listed columns give no information.
    const without = [
      ...(isOneRoom ? ['room_name'] : []),
      ...constant,
      ...(this.#isOfRoom && !absent ? ['absent'] : []),
      ...(this.#isOfRoom && !absent && minMinutes === undefined ? ['present'] : []),
    ]
    const drawing = {
      // Outside a terminal, drawings always have their maximum width.
      max: host.stdout.isTTY ? 100 : 40,
      title: (width: number) => (hasTimelines ? this.#title(width) : ''),
      cell: (item: Item, width: number) => this.#draw(item, width),
    }
    this.view = {
      ...view,
      columns: [
        ...view.columns.filter(({ field }) => !without.includes(field)),
        ...(isMeeting && absent && !onlyAbsent ? [{ field: 'present', weight: 8.2 }] : []),
        ...(hasBars
          ? [{ field: hasTimelines ? 'timeline' : 'bar', weight: isMeeting ? 7.5 : 8, drawing }]
          : []),
      ],
    }
  }

  /** Converts rows to table items. Sets the scale of bars that are drawn later. */
  show(lines: Iterable<ReportRow>, scale: Rows['scale']): Item[] {
    this.#most = scale?.most ?? 1
    return Array.from(lines, (line) => this.#show(line))
  }

  #show(line: ReportRow): Item {
    const { row, intervals } = line
    const item: Record<string, unknown> = { ...row }
    for (const field of ['room_minutes', 'minutes'])
      if (field in row) item[field] = Number(row[field]).toFixed(1)
    // A deleted person may have no name, and the ID column may not fit the width.
    if ('user_id' in row) item['name'] = toText(row['name']) || row['user_id']
    if ('room_name' in row) item['room_name'] = toText(row['room_name']) || row['room_id']
    const span = this.#hasOneSpan ? this.#plan.span : line.span
    if (this.#isOfRoom && (this.#isOneRoom || this.#hasOneSpan)) this.#axis = span
    if (this.#host.stdout.isTTY) this.#showTimes(item, line, span)
    this.#drawn.set(item, { row, intervals, span })
    return item
  }

  #showTimes(item: Record<string, unknown>, line: ReportRow, span: Interval | undefined): void {
    const timeOf = this.#plan.zone.createFormat(
      this.#isOfRoom ? (this.#isOneRoom && span) || this.#plan.span : unlimited,
    )
    for (const field of Object.keys(line.row)) {
      const time = readRowTime(field, line)
      if (time !== undefined) item[field] = timeOf(time)
    }
    if (line.isRunning && 'last_out' in item) item['last_out'] = 'still in'
  }

  #title(width: number): string {
    if (!this.#axis) return 'TIMELINE'
    const timeOf = this.#plan.zone.createFormat(this.#axis)
    return drawAxis(timeOf(this.#axis[0]), timeOf(this.#axis[1]), width)
  }

  #draw(item: Item, width: number): string {
    const { intervals, span, row } = this.#drawn.get(item) ?? {}
    if (intervals && span) return drawTimeline(intervals, span, width, canShowUnicode(this.#host))
    return drawBar(Number(row?.['room_minutes'] ?? 0) / this.#most, width)
  }
}
