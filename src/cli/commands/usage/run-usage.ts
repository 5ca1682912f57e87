import { UsageError } from '../../../errors.ts'
import { selectBarSymbols } from '../../attendance/bar.ts'
import { defaultGapMs } from '../../attendance/meetings.ts'
import type { RowChunk } from '../../attendance/totals.ts'
import { labelOf, parsePeriod } from '../../calendar/period.ts'
import { readTimeZone } from '../../calendar/read-time-zone.ts'
import type { TimeZone } from '../../calendar/time-zone.ts'
import type { Context } from '../../kernel/context.ts'
import type { PaceFlags } from '../../kernel/flags.ts'
import { readRooms } from '../../lists/select-rooms.ts'
import { createPage } from '../../output/views/page.ts'
import type { Item, View } from '../../output/views/views.ts'
import { Tally } from '../../pool/tally.ts'
import { showRequests } from '../sessions/report/report.ts'
import { RoomReports } from '../sessions/report/room-reports.ts'
import { summarizeReport } from '../sessions/report/summary.ts'
import { TotalsTable } from '../sessions/report/total-views.ts'
import { UsageTotals } from './usage-totals.ts'

export interface UsageFlags extends PaceFlags {
  month?: string
  minMinutes?: number
  by?: 'room'
  /** Shortest pause between two meetings, in milliseconds. */
  gap?: number
  where?: readonly string[]
}

const measures = ['participants', 'meetings', 'room_minutes', 'peak', 'peak_time']
const roomFields = ['month', 'room_id', 'room_name', ...measures]
const wholeFields = ['month', 'rooms', ...measures]
const roomWeights = { room_name: 9, participants: 6, meetings: 5, room_minutes: 9, peak: 7, peak_time: 3 }

export function createUsageView(isByRoom: boolean): View {
  const weights: Readonly<Record<string, number>> = isByRoom
    ? roomWeights
    : { month: 9, rooms: 5, participants: 9, meetings: 7, room_minutes: 9, peak: 8, peak_time: 4 }
  return {
    noun: isByRoom ? ['room', 'rooms'] : ['month', 'months'],
    ...(isByRoom && { id: 'room_id' }),
    fields: isByRoom ? roomFields : wholeFields,
    columns: Object.entries(weights).map(([field, weight]) => ({ field, weight })),
  }
}

/** @throws {PartialError} if some rooms failed or were not listed */
export async function runUsage(context: Context, flags: UsageFlags): Promise<void> {
  const { by, where, minMinutes = 0, gap: gapMs = defaultGapMs, ...pace } = flags
  const isByRoom = by === 'room'
  const now = context.host.now()
  const zone = await readTimeZone(context)
  const span = readMonth(flags.month ?? 'this-month', now, zone)
  const printer = await context.printer()
  const view = createUsageView(isByRoom)
  printer.check(view)
  const { rooms, incomplete } = await readRooms(
    context,
    [],
    where ? { where, ...pace } : { allRooms: true, ...pace },
  )
  if (context.flags.curl) return showRequests(context, rooms)
  const tally = new Tally(rooms.length, summarizeReport)
  const roomNames = isByRoom && (printer.options.columns?.includes('room_name') ?? true)
  const scope = { span, names: false, roomNames, absent: false, includeBlocked: false, visits: false }
  const reports = new RoomReports(context, { rooms, incomplete, tally, scope, now, pace })
  const month = labelOf('month', zone.dayOf(span[0]))
  const totals = new UsageTotals({ month, zone, gapMs, minMinutes, isByRoom, interrupt: context.interrupt })
  for await (const report of reports.read()) await totals.add(report)
  await print(context, view, { chunk: totals.rows(), days: totals.days(), isByRoom, zone })
  await context.notice('rooms that were deleted are missing')
  await reports.finish()
}

interface Printout {
  chunk: RowChunk
  days: Iterable<RowChunk>
  isByRoom: boolean
  zone: TimeZone
}

async function print(context: Context, view: View, { chunk, days, isByRoom, zone }: Printout): Promise<void> {
  const { host, flags } = context
  const printer = await context.printer()
  const { format, columns } = printer.options
  const list = (rowsView: View, items: readonly Item[]) =>
    printer.list(rowsView, 'usage', createPage({ items }))
  if (format !== 'table')
    return void (await list(
      view,
      chunk.lines.map(({ row }) => row),
    ))
  const options = {
    ...{ zone, marks: selectBarSymbols(host), isTerminal: host.stdout.isTTY },
    ...{ absent: false, includeBlocked: false, isOneRoom: false },
  }
  const byRoom = new TotalsTable({ ...options, grouping: { subject: 'room', isUnitFirst: false } }, view)
  if (isByRoom) {
    if ((await list(byRoom.view, byRoom.rows(chunk))) === 0) await printer.notice('no rooms were used')
    return
  }
  if (columns || flags.allProfiles) return void (await list(view, byRoom.rows(chunk)))
  const byDay = new TotalsTable({ ...options, grouping: { unit: 'day', isUnitFirst: true } })
  for (const facts of byRoom.rows(chunk)) await printer.printFacts(facts)
  const items = [...days].flatMap((one) => byDay.rows(one))
  if (items.length === 0) return
  await printer.line('')
  await list({ ...byDay.view, isFixed: true }, items)
}

/** @throws {UsageError} for an invalid month */
function readMonth(text: string, now: number, zone: TimeZone): readonly [number, number] {
  const span = /^(this-month|last-month|\d{4}-\d\d)$/i.test(text) ? parsePeriod(text, now, zone) : undefined
  if (!span)
    throw new UsageError(`--month must be a month such as 2026-10, this-month or last-month, not “${text}”`)
  return span
}
