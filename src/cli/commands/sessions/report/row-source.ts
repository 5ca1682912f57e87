import { selectBarSymbols } from '../../../attendance/bar.ts'
import { type Grouping, type RoomSubject, selectRoomSubject } from '../../../attendance/groupings.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { type RoomReport, reportRowsBy } from '../../../attendance/rows.ts'
import { AttendanceTotals, type RowChunk } from '../../../attendance/totals.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import type { Item, View } from '../../../output/views/views.ts'
import { TotalsTable, totalView } from './total-views.ts'
import { ReportTable, reportView } from './views.ts'

/** Turns the attendance of rooms into the rows of a report. */
export interface RowSource {
  readonly view: View
  /** Returns the rows that are complete after a room. */
  add(report: RoomReport): Iterable<Item>
  /** Returns the rows of all rooms together. */
  end(): Iterable<Item>
}

export interface RowSourceOptions {
  grouping: Grouping
  zone: TimeZone
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  gapMs: number
  /** Undefined unless the user sets it. */
  minMinutes: number | undefined
  absent: boolean
  includeBlocked: boolean
  missed: number | undefined
  isOneRoom: boolean
  isTable: boolean
}

export function selectReportView({
  grouping,
  ...flags
}: Pick<RowSourceOptions, 'grouping' | 'absent' | 'includeBlocked'>): View {
  const subject = selectRoomSubject(grouping)
  return subject ? reportView(subject, flags.includeBlocked) : totalView(grouping, flags)
}

/** @param onTotals receives the rows of totals as they are made */
export function createRowSource(
  { host }: Context,
  options: RowSourceOptions,
  onTotals: (chunk: RowChunk) => void,
): RowSource {
  const marks = selectBarSymbols(host)
  const isTerminal = host.stdout.isTTY
  const subject = selectRoomSubject(options.grouping)
  if (subject) return createRoomRowSource(subject, options, { marks, isTerminal })
  const { minMinutes = 0, isTable } = options
  const totals = new AttendanceTotals({ ...options, minMinutes })
  const table = isTable ? new TotalsTable({ ...options, marks, isTerminal }) : undefined
  function* show(chunks: Iterable<RowChunk>): Generator<Item> {
    for (const chunk of chunks) {
      onTotals(chunk)
      yield* table?.rows(chunk) ?? chunk.lines.map(({ row }) => row)
    }
  }
  return {
    view: table?.view ?? selectReportView(options),
    add: (report) => show(totals.add(report)),
    end: () => show(totals.end()),
  }
}

function createRoomRowSource(
  by: RoomSubject,
  { isOneRoom, isTable, minMinutes, absent, includeBlocked, span, zone }: RowSourceOptions,
  { marks, isTerminal }: Pick<ConstructorParameters<typeof ReportTable>[0], 'marks' | 'isTerminal'>,
): RowSource {
  const rowOptions = { minMinutes: minMinutes ?? 0, absent, includeBlocked }
  // Without these flags, nobody counts as absent.
  const without = [...(absent ? [] : ['absent']), ...(absent || minMinutes !== undefined ? [] : ['present'])]
  const table = isTable
    ? new ReportTable({ by, includeBlocked, marks, isTerminal, isOneRoom, without, span, zone })
    : undefined
  return {
    view: table?.view ?? reportView(by, includeBlocked),
    *add(report) {
      for (const line of reportRowsBy[by](report, rowOptions)) yield table?.row(line, report) ?? line.row
    },
    end: () => [],
  }
}
