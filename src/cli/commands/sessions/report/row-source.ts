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

/** Converter from the attendance of rooms to the rows of a report. */
export interface RowSource {
  readonly view: View
  /**
   * Adds a room and returns the rows that are complete.
   * @throws {InterruptedError} after a stop signal
   */
  add(report: RoomReport): Promise<Iterable<Item>>
  /** Returns the remaining rows after the last room. */
  end(): Iterable<Item>
}

export interface RowSourceOptions {
  grouping: Grouping
  zone: TimeZone
  /** Span of the report, in milliseconds since 1970. */
  span: Interval
  gapMs: number
  /** Minimum minutes to count as present; undefined unless the user sets a minimum. */
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

/** @param onTotals receives each chunk of rows of totals */
export function createRowSource(
  { host, interrupt }: Context,
  options: RowSourceOptions,
  onTotals: (chunk: RowChunk) => void,
): RowSource {
  const marks = selectBarSymbols(host)
  const isTerminal = host.stdout.isTTY
  const subject = selectRoomSubject(options.grouping)
  if (subject) return createRoomRowSource(subject, options, { marks, isTerminal })
  const { minMinutes = 0, isTable } = options
  const totals = new AttendanceTotals({ ...options, minMinutes, interrupt })
  const table = isTable ? new TotalsTable({ ...options, marks, isTerminal }) : undefined
  function* show(chunks: Iterable<RowChunk>): Generator<Item> {
    for (const chunk of chunks) {
      onTotals(chunk)
      yield* table?.rows(chunk) ?? chunk.lines.map(({ row }) => row)
    }
  }
  return {
    view: table?.view ?? selectReportView(options),
    async add(report) {
      await totals.add(report)
      return show(totals.complete())
    },
    end: () => show(totals.end()),
  }
}

function createRoomRowSource(
  by: RoomSubject,
  { isOneRoom, isTable, minMinutes, absent, includeBlocked, span, zone }: RowSourceOptions,
  { marks, isTerminal }: Pick<ConstructorParameters<typeof ReportTable>[0], 'marks' | 'isTerminal'>,
): RowSource {
  const rowOptions = { minMinutes: minMinutes ?? 0, absent, includeBlocked }
  // Without these flags, all rows have the same value in these columns.
  const without = [...(absent ? [] : ['absent']), ...(absent || minMinutes !== undefined ? [] : ['present'])]
  const table = isTable
    ? new ReportTable({ by, includeBlocked, marks, isTerminal, isOneRoom, without, span, zone })
    : undefined
  return {
    view: table?.view ?? reportView(by, includeBlocked),
    add: async (report) => show(report),
    end: () => [],
  }
  function* show(report: RoomReport): Generator<Item> {
    for (const line of reportRowsBy[by](report, rowOptions)) yield table?.row(line, report) ?? line.row
  }
}
