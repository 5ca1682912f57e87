import { toText } from '../../../../api/to-text.ts'
import { type BarSymbols, drawAttendanceBar, drawAxis } from '../../../attendance/bar.ts'
import type { RoomSubject } from '../../../attendance/groupings.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { computeSpan } from '../../../attendance/measures.ts'
import type { ReportRow, RoomReport } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Column, Item, View } from '../../../output/views/views.ts'

interface ReportShape extends Pick<View, 'noun' | 'id' | 'fields'> {
  weights: Readonly<Record<string, number>>
}

const shapes: Readonly<Record<RoomSubject, ReportShape>> = {
  user: {
    noun: ['participant', 'participants'],
    id: 'user_id',
    fields: [
      ...['room_id', 'user_id', 'name', 'first_in', 'last_out'],
      ...['connections', 'minutes', 'share', 'present'],
    ],
    weights: {
      ...{ room: 7, name: 9, user_id: 4, first_in: 6, last_out: 5 },
      ...{ connections: 1, minutes: 9, share: 2, present: 5 },
    },
  },
  room: {
    noun: ['room', 'rooms'],
    id: 'room_id',
    fields: [
      ...['room_id', 'name', 'first_in', 'last_out'],
      ...['participants', 'absent', 'connections', 'minutes'],
    ],
    weights: {
      ...{ room_id: 4, name: 9, first_in: 6, last_out: 5 },
      ...{ participants: 7, absent: 3, connections: 1, minutes: 9 },
    },
  },
  session: {
    noun: ['session', 'sessions'],
    id: 'session_id',
    fields: [
      ...['room_id', 'session_id', 'member_id', 'user_id', 'name'],
      ...['connected_at', 'disconnected_at', 'minutes', 'share'],
    ],
    weights: {
      ...{ room: 7, session_id: 1, name: 9, user_id: 4 },
      ...{ connected_at: 6, disconnected_at: 5 },
      ...{ minutes: 9, share: 2 },
    },
  },
}

export function reportView(by: RoomSubject, includeBlocked = false): View {
  const { weights, ...view } = shapes[by]
  const more: [string, number][] = includeBlocked && by === 'user' ? [['blocked', 5]] : []
  return {
    ...view,
    fields: [...view.fields, ...more.map(([field]) => field)],
    columns: [...Object.entries(weights), ...more].map(([field, weight]) => ({ field, weight })),
  }
}

interface TableOptions {
  by: RoomSubject
  includeBlocked: boolean
  marks: BarSymbols
  isTerminal: boolean
  isOneRoom: boolean
  /** Columns to omit because all values are the same. */
  without: readonly string[]
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  zone: TimeZone
}

/** Returns the maximum width of a bar, in columns. Bars outside a terminal always have this width. */
export function timelineWidth(isTerminal: boolean): number {
  return isTerminal ? 100 : 40
}

export class ReportTable {
  readonly view: View
  readonly #options: TableOptions
  readonly #bars = new WeakMap<Item, { intervals: readonly Interval[]; within: Interval | undefined }>()
  #axis: Interval | undefined

  constructor(options: TableOptions) {
    this.#options = options
    const { by, includeBlocked, isTerminal, isOneRoom, without, marks } = options
    const { columns, ...view } = reportView(by, includeBlocked)
    const timeline: Column = {
      field: 'timeline',
      weight: 8,
      drawing: {
        max: timelineWidth(isTerminal),
        title: (width) => this.#title(width),
        cell: (item, width) => {
          const { intervals, within } = this.#bars.get(item) ?? {}
          return intervals && within ? drawAttendanceBar(intervals, within, width, marks) : ''
        },
      },
    }
    const said = columns.filter(({ field }) => !without.includes(field) && !(isOneRoom && field === 'room'))
    this.view = { ...view, columns: [...said, timeline] }
  }

  row(line: ReportRow, { room, attendance: { meeting } }: RoomReport): Item {
    const { by, span, isOneRoom } = this.#options
    // Bars of rooms use the time axis of the report; bars of people use the axis of their meeting.
    const isLimited = by === 'room' && span.every((ms) => Number.isFinite(ms))
    const within = isLimited ? span : computeSpan(meeting)
    if (isOneRoom || isLimited) this.#axis = within
    const item = { ...this.#shown(line, within), room: toText(room['name']) || room['id'] }
    this.#bars.set(item, { intervals: line.intervals, within })
    return item
  }

  #shown({ row, intervals, isRunning }: ReportRow, within: Interval | undefined): Item {
    const minutes = (row['minutes'] as number).toFixed(1)
    const [first, last] = [intervals[0]?.[0], intervals.at(-1)?.[1]]
    if (!this.#options.isTerminal || first === undefined || last === undefined || !('first_in' in row))
      return { ...row, minutes }
    const { span, isOneRoom, zone } = this.#options
    const timeOf = zone.createFormat(isOneRoom && within ? within : span)
    const out = row['last_out'] === null ? null : timeOf(last)
    return { ...row, minutes, first_in: timeOf(first), last_out: isRunning ? 'still in' : out }
  }

  #title(width: number): string {
    if (!this.#axis) return 'TIMELINE'
    const timeOf = this.#options.zone.createFormat(this.#axis)
    return drawAxis(timeOf(this.#axis[0]), timeOf(this.#axis[1]), width)
  }
}
