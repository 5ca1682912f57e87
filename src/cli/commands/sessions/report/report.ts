import { toText } from '../../../../api/to-text.ts'
import { type MeetroomError, UsageError } from '../../../../errors.ts'
import { type Grouping, parseGrouping, selectRoomSubject } from '../../../attendance/groupings.ts'
import { defaultGapMs } from '../../../attendance/meetings.ts'
import { readTimeZone } from '../../../calendar/read-time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { defaultPageSize } from '../../../lists/paging/page-size.ts'
import { type RoomFlags, readRooms } from '../../../lists/select-rooms.ts'
import type { PrintOptions } from '../../../output/formats/list-writer.ts'
import type { Item } from '../../../output/views/views.ts'
import { Tally } from '../../../pool/tally.ts'
import { undefinedIfPreviewed } from '../../../requests/before-send.ts'
import type { ReportScope } from './read-room.ts'
import { RoomReports } from './room-reports.ts'
import { selectReportView } from './row-source.ts'
import { readSpan } from './span.ts'
import { summarizeReport } from './summary.ts'
import { writeReport } from './write-report.ts'

export interface ReportFlags extends PaceFlags, RoomFlags {
  from?: string
  to?: string
  period?: string
  absent?: boolean
  includeBlocked?: boolean
  missed?: number
  minMinutes?: number
  by: string
  /** Shortest pause between two meetings, in milliseconds; undefined unless the user sets it. */
  gap?: number
  html?: string
}

/** @throws {PartialError} if some rooms failed or were not listed; a report on one room throws the room's error */
export async function runReport(
  context: Context,
  given: readonly string[],
  flags: ReportFlags,
): Promise<void> {
  const grouping = parseGrouping(flags.by)
  checkFlags(grouping, flags)
  const { minMinutes, includeBlocked = false, missed, html, gap: gapMs = defaultGapMs } = flags
  const { interrupt } = context
  const absent = flags.absent === true || missed !== undefined
  const now = context.host.now()
  const zone = await readTimeZone(context)
  const span = readSpan(flags, now, zone)
  const printer = await context.printer()
  printer.check(selectReportView({ grouping, absent, includeBlocked }))
  const { rooms, incomplete } = await readRooms(context, given, flags)
  if (context.flags.curl) return showRequests(context, rooms)
  const isTable = printer.options.format === 'table'
  const isOneRoom = rooms.length === 1
  const common = { grouping, span, zone, absent, includeBlocked }
  const about = {
    ...common,
    gapMs,
    rooms: rooms.length,
    now,
    printer,
    interrupt,
    minMinutes: minMinutes ?? 0,
  }
  const page =
    html === undefined
      ? undefined
      : await (await import('./web-page.ts')).WebPage.open(html, context.host, about)
  const tally = new Tally(rooms.length, summarizeReport)
  const scope = {
    ...{ span, absent, includeBlocked },
    invitations: absent && selectRoomSubject(grouping) === undefined,
    ...scopeFor(grouping, printer.options, page !== undefined),
  }
  const onFailure = async (room: Item, error: MeetroomError) => page?.failed(room, error)
  const reports = new RoomReports(context, {
    ...{ rooms, incomplete, tally, scope, now, pace: flags, onFailure },
  })
  try {
    const options = { ...common, gapMs, minMinutes, missed, isOneRoom, isTable }
    await writeReport({ context, printer, reports, rooms, page, ...options })
  } finally {
    if (page) {
      await page.close(tally.isComplete && !incomplete && !interrupt.aborted)
      await context.notice(`wrote ${html}`)
    }
  }
}

/** @throws {UsageError} for flags that cannot be combined */
function checkFlags(grouping: Grouping, flags: ReportFlags): void {
  const { by, absent = false, includeBlocked = false, missed, gap } = flags
  const { subject } = grouping
  const isOfTotals = selectRoomSubject(grouping) === undefined
  const listsPeople = isOfTotals ? subject === 'user-total' || subject === 'meeting' : subject !== 'session'
  if (missed !== undefined && subject !== 'user-total')
    throw new UsageError(
      `--missed counts the meetings that a person missed, so --by ${by} does not work with it`,
      {
        hint: 'pass --by user-total',
      },
    )
  if (absent && !listsPeople)
    throw new UsageError(`--absent lists people, so --by ${by} does not work with it`)
  if (includeBlocked && !absent && missed === undefined)
    throw new UsageError('--include-blocked works only with --absent')
  if (gap !== undefined && !isOfTotals)
    throw new UsageError(`--gap separates meetings, so --by ${by} does not work with it`, {
      hint: 'pass --by meeting, user-total, day, week or month',
    })
}

/** Selects the lookups that the printed fields require. */
function scopeFor(
  grouping: Grouping,
  { format, columns }: PrintOptions,
  hasPage: boolean,
): Pick<ReportScope, 'names' | 'roomNames' | 'roles' | 'visits'> {
  const isPrinted = (field: string) => format !== 'ids' && (columns?.includes(field) ?? true)
  const { subject } = grouping
  const visits = subject === 'session'
  if (selectRoomSubject(grouping)) {
    const isNamed = hasPage || isPrinted('name')
    const ofRoom = subject === 'room'
    return { names: hasPage || (isNamed && !ofRoom), roomNames: hasPage || (isNamed && ofRoom), visits }
  }
  const isOfPerson = subject !== undefined && subject !== 'room'
  const isOfRoom = subject !== undefined && subject !== 'user-total'
  return {
    names: isOfPerson && (hasPage || isPrinted('name')),
    roomNames: hasPage || (isOfRoom && isPrinted('room_name')),
    roles: isOfPerson && isOfRoom && (hasPage || isPrinted('role')),
    visits,
  }
}

/** With `--curl`, shows the requests that do not depend on a response. */
export async function showRequests(context: Context, rooms: readonly Item[]): Promise<void> {
  const client = await context.client()
  const query = { limit: defaultPageSize }
  for (const { id } of rooms)
    await undefinedIfPreviewed(client.call('listSessions', { params: { room_id: toText(id) }, query }))
}
