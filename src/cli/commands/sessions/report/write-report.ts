import { isFatal, toFailure } from '../../../../client/outcome.ts'
import type { IncompleteError, InterruptedError, MeetroomError } from '../../../../errors.ts'
import { selectBarSymbols } from '../../../attendance/bar.ts'
import type { Grouping } from '../../../attendance/groupings.ts'
import type { Interval } from '../../../attendance/intervals.ts'
import { type ReportRow, reportRowsBy } from '../../../attendance/rows.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import type { PaceFlags } from '../../../kernel/flags.ts'
import { groupPages, printAll } from '../../../lists/print-all.ts'
import { RoomsNotice } from '../../../lists/rooms-notice.ts'
import type { RoomFlags } from '../../../lists/select-rooms.ts'
import type { Printer } from '../../../output/printer.ts'
import type { Page } from '../../../output/views/page.ts'
import type { Item } from '../../../output/views/views.ts'
import { openPool } from '../../../pool/pool.ts'
import { runInOrder } from '../../../pool/run-items.ts'
import type { Tally } from '../../../pool/tally.ts'
import { createReportReader, type ReportScope } from './read-room.ts'
import { commonError, hintAtMissingRooms } from './summary.ts'
import { TimeAnomalyCounter } from './time-anomalies.ts'
import { ReportTable, reportView } from './views.ts'
import type { WebPage } from './web-page.ts'

export interface ReportFlags extends PaceFlags, RoomFlags {
  from?: string
  period?: string
  to?: string
  absent?: boolean
  includeBlocked?: boolean
  minMinutes?: number
  by: Grouping
  html?: string
}

export interface Report {
  context: Context
  printer: Printer
  rooms: readonly Item[]
  /** Error of an incomplete room list, thrown after the report if there is no other error. */
  incomplete: IncompleteError | undefined
  flags: ReportFlags
  /** Time of the report, in milliseconds since 1970. */
  now: number
  span: Interval
  zone: TimeZone
  page: WebPage | undefined
  tally: Tally
}

export async function writeReport(report: Report): Promise<void> {
  const { context, printer, rooms, incomplete, flags, page, tally } = report
  const oddities = new TimeAnomalyCounter()
  const missing: Item[] = []
  const failures: MeetroomError[] = []
  let fatal: MeetroomError | undefined
  const table = printer.options.format === 'table' ? createTable(report) : undefined
  const view = table?.view ?? reportView(flags.by, flags.includeBlocked)
  // Anonymous participants have no ID.
  const isShown = (row: Item) => printer.options.format !== 'ids' || row[view.id ?? ''] !== null
  const options = {
    minMinutes: flags.minMinutes ?? 0,
    absent: flags.absent ?? false,
    includeBlocked: flags.includeBlocked ?? false,
  }
  await new RoomsNotice(context).expect(rooms.length)
  const pool = await openPool(context, flags, tally)
  const read = createReportReader(context, pool.client, scopeFor(report), report.now)

  async function* pages(): AsyncGenerator<Page> {
    const act = async (room: Item) => {
      const outcome = await read(room).then((value) => ({ status: 'ok', value }) as const, toFailure)
      // Other rooms would fail with the same error.
      if ('error' in outcome && isFatal(outcome.error)) pool.stop()
      return outcome
    }
    let asked = 0
    for await (const [thing, outcome] of runInOrder(pool, rooms, act)) {
      asked++
      if (outcome.status === 'ok') {
        const { value } = outcome
        oddities.add(thing, value.attendance.anomalies)
        await page?.room(value)
        const lines = reportRowsBy[flags.by](value, options)
        yield* toPages(lines, (line) => table?.row(line, value) ?? line.row, isShown)
        continue
      }
      missing.push(thing)
      if (!('error' in outcome)) continue
      failures.push(outcome.error)
      await page?.failed(thing, outcome.error)
      // The error of the only room is the error of the command.
      if (rooms.length === 1 && !incomplete) throw outcome.error
      if (isFatal(outcome.error)) fatal ??= outcome.error
      else await context.reportError(outcome.error)
    }
    missing.push(...rooms.slice(asked))
  }

  const count = page
    ? // The page is finished although the reader of the rows goes away.
      await printAll(printer, view, 'attendance', pages())
    : await printer.list(view, 'attendance', table ? groupPages(pages()) : pages())
  for (const notice of oddities.notices) await context.notice(notice)
  if (context.interrupt.aborted && !tally.isComplete) fatal ??= context.interrupt.reason as InterruptedError
  const { reported, error } = tally.ending({ fatal, hint: hintAtMissingRooms(missing) })
  if (reported) await context.reportError(reported)
  if (error && incomplete) await context.reportError(incomplete)
  if (error) throw commonError(error, failures)
  if (incomplete) throw incomplete
  if (count === 0 && table) await printer.notice(`no ${rooms.length === 0 ? 'rooms' : view.noun[1]}`)
}

const maxRowsPerPage = 1000

function* toPages(
  lines: Iterable<ReportRow>,
  rowOf: (line: ReportRow) => Item,
  isShown: (row: Item) => boolean,
): Generator<Page> {
  let items: Item[] = []
  for (const line of lines) {
    const row = rowOf(line)
    if (isShown(row)) items.push(row)
    if (items.length < maxRowsPerPage) continue
    yield { items }
    items = []
  }
  if (items.length > 0) yield { items }
}

function scopeFor({ printer, flags, span, page }: Report): ReportScope {
  const { format, columns } = printer.options
  const isNamed = page !== undefined || (format !== 'ids' && (columns?.includes('name') ?? true))
  return {
    span,
    names: page !== undefined || (isNamed && flags.by !== 'room'),
    roomNames: page !== undefined || (isNamed && flags.by === 'room'),
    absent: flags.absent ?? false,
    includeBlocked: flags.includeBlocked ?? false,
    visits: flags.by === 'session',
  }
}

function createTable({ context, rooms, flags, span, zone }: Report): ReportTable {
  const { host } = context
  const { absent = false, includeBlocked = false, minMinutes } = flags
  return new ReportTable({
    by: flags.by,
    includeBlocked,
    marks: selectBarSymbols(host),
    isTerminal: host.stdout.isTTY,
    isOneRoom: rooms.length === 1,
    // Without `--absent` and `--min-minutes`, nobody counts as absent.
    without: [...(absent ? [] : ['absent']), ...(absent || minMinutes !== undefined ? [] : ['present'])],
    span,
    zone,
  })
}
