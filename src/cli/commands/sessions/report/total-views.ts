import { toText } from '../../../../api/to-text.ts'
import { type BarSymbols, drawAttendanceBar } from '../../../attendance/bar.ts'
import type { Grouping, Subject } from '../../../attendance/groupings.ts'
import type { Meeting } from '../../../attendance/meetings.ts'
import type { ReportRow } from '../../../attendance/rows.ts'
import { parseMilliseconds } from '../../../attendance/session-times.ts'
import type { RowChunk } from '../../../attendance/totals.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { drawBar } from '../../../output/bar.ts'
import type { Column, Item, View } from '../../../output/views/views.ts'
import { timelineWidth } from './views.ts'

/** Flags that add fields to totals. */
interface TotalFields {
  absent: boolean
  includeBlocked: boolean
}

/** Column weights by field of totals; 0 for fields that tables do not show. */
const bounds = { first_in: 1, last_out: 2 }
const place = { room_id: 0, room_name: 7 }
const person = { user_id: 3, name: 9 }
const counts = { days: 4, meetings: 6 }
const minutes = { room_minutes: 9 }

const totalFields: Readonly<Record<Exclude<Subject, 'session'> | 'all', Readonly<Record<string, number>>>> = {
  meeting: {
    ...{ ...place, meeting: 2, meeting_start: 8, meeting_end: 0, ...person, role: 5, ...bounds, ...minutes },
    ...{ share: 2, present: 0 },
  },
  'user-total': {
    ...person,
    rooms: 5,
    ...counts,
    missed: 8,
    counted_from: 1,
    ...bounds,
    ...minutes,
    minutes: 5,
  },
  user: { ...place, ...person, role: 1, ...counts, ...bounds, ...minutes },
  room: { ...place, participants: 5, ...counts, ...minutes },
  all: { participants: 6, rooms: 5, ...counts, ...minutes },
}

const nouns: Readonly<Record<keyof typeof totalFields, View['noun']>> = {
  meeting: ['participant', 'participants'],
  'user-total': ['participant', 'participants'],
  user: ['participant', 'participants'],
  room: ['room', 'rooms'],
  all: ['period', 'periods'],
}

export function totalView({ subject, unit }: Grouping, flags: TotalFields): View {
  const kind = subject === undefined || subject === 'session' ? 'all' : subject
  const id = kind === 'room' ? 'room_id' : kind === 'all' ? undefined : 'user_id'
  const isUsed = (field: string) => !['missed', 'counted_from'].includes(field) || flags.absent
  const weights = {
    ...(unit && { [unit]: 10 }),
    ...Object.fromEntries(Object.entries(totalFields[kind]).filter(([field]) => isUsed(field))),
    // In a report by day, the number of days is always 1.
    ...(unit === 'day' && kind !== 'meeting' && { days: 0 }),
    ...(flags.includeBlocked && kind === 'meeting' && { blocked: 5 }),
  }
  return {
    noun: nouns[kind],
    ...(id && { id }),
    fields: Object.keys(weights),
    columns: Object.entries(weights).flatMap(([field, weight]) => (weight > 0 ? [{ field, weight }] : [])),
  }
}

interface TableOptions extends TotalFields {
  grouping: Grouping
  marks: BarSymbols
  isTerminal: boolean
  isOneRoom: boolean
  zone: TimeZone
}

/** Table of totals with a bar of minutes in each row, or with a timeline in a report by meeting. */
export class TotalsTable {
  readonly view: View
  readonly #options: TableOptions
  readonly #drawn = new WeakMap<Item, ReportRow>()
  #most = 0

  /** @param total fields and columns of the rows */
  constructor(options: TableOptions, total: View = totalView(options.grouping, options)) {
    this.#options = options
    const { grouping, isOneRoom, isTerminal, absent } = options
    const { columns, ...view } = total
    const isMeeting = grouping.subject === 'meeting'
    const bar: Column = {
      field: isMeeting ? 'timeline' : 'bar',
      weight: 7.5,
      drawing: {
        max: timelineWidth(isTerminal),
        title: () => (isMeeting ? 'TIMELINE' : ''),
        cell: (item, width) => this.#draw(item, width),
      },
    }
    const shown = columns.filter(({ field }) => !(isOneRoom && field === 'room_name'))
    const present = isMeeting && absent ? [{ field: 'present', weight: 6 }] : []
    this.view = { ...view, columns: [...shown, ...present, bar] }
  }

  rows({ lines, scale }: RowChunk): Item[] {
    this.#most = scale.most
    return lines.map((line) => this.#show(line))
  }

  #show(line: ReportRow): Item {
    const { row, intervals } = line
    const { isTerminal, zone } = this.#options
    const decimal = (field: string) =>
      row[field] === undefined ? {} : { [field]: Number(row[field]).toFixed(1) }
    const time = (field: string) => {
      const value = row[field]
      if (!isTerminal || typeof value !== 'string') return {}
      const ms = parseMilliseconds(value)
      return { [field]: `${zone.formatDay(ms)} ${zone.formatClock(ms)}` }
    }
    const isIn = line.isRunning && isTerminal && { last_out: 'still in' }
    const item = {
      ...{ ...row, ...decimal('room_minutes'), ...decimal('minutes') },
      ...{
        ...time('meeting_start'),
        ...time('peak_time'),
        ...time('counted_from'),
        ...time('first_in'),
        ...time('last_out'),
        ...isIn,
      },
      ...('room_name' in row && { room_name: toText(row['room_name']) || row['room_id'] }),
    }
    if (intervals.length > 0 || Number(row['room_minutes']) > 0) this.#drawn.set(item, line)
    return item
  }

  #draw(item: Item, width: number): string {
    const line = this.#drawn.get(item)
    if (!line) return ''
    const { meeting, intervals, row } = line
    if (meeting) return drawAttendanceBar(intervals, spanOf(meeting), width, this.#options.marks)
    return drawBar(this.#most === 0 ? 0 : Number(row['room_minutes']) / this.#most, width)
  }
}

function spanOf({ start, end }: Meeting): readonly [number, number] {
  return [start, end]
}
