import { toText } from '../../api/to-text.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import { defaultPageSize } from '../lists/paging/page-size.ts'
import { type RoomFlags, readRooms } from '../lists/select-rooms.ts'
import type { PrintOptions } from '../output/formats/list-writer.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { previewEach } from '../requests/before-send.ts'
import { groupPages, printAll } from '../run/print-all.ts'
import { selectReportView } from './columns.ts'
import { selectRoomSubject } from './group-by.ts'
import { Groups } from './groups.ts'
import { inTurns } from './in-turns.ts'
import type { RoomReport } from './people.ts'
import { isListed, type ReportPlan } from './plan.ts'
import { type ReportScope, RoomReader } from './read-rooms.ts'
import { createRoomRows, type Rows } from './rows.ts'
import { ReportTable } from './table.ts'

export interface ReportOptions extends RoomFlags, PaceFlags {
  html?: string
}

interface Printing {
  onRoom(report: RoomReport): Promise<void>
  /** Prints the rows directly, or by calling `list`. */
  print(rows: () => AsyncIterable<Page>, list: () => Promise<number>): Promise<void>
}

/** @throws {MeetroomError} for example if some rooms failed or were not listed */
export async function runReport(
  context: Context,
  given: readonly string[],
  plan: ReportPlan,
  flags: ReportOptions,
  printing?: Printing,
): Promise<void> {
  const { host, interrupt } = context
  const { html } = flags
  const printer = await context.printer()
  const { format } = printer.options
  const plain = selectReportView(plan.grouping, plan)
  const isTable = format === 'table'
  printer.check(isTable ? new ReportTable(host, plain, plan, false).view : plain)
  const { rooms, incomplete } = await readRooms(context, given, flags)
  if (context.flags.curl)
    return previewEach(context, rooms, (client, { id }) =>
      client.call('listSessions', { params: { room_id: toText(id) }, query: { limit: defaultPageSize } }),
    )
  const shown = (text: string) => printer.makeVisible(text)
  const page =
    html === undefined
      ? undefined
      : await (await import('./page.ts')).WebPage.open(html, host, { ...plan, rooms: rooms.length, shown })
  const reader = new RoomReader(context, {
    ...{ rooms, incomplete, plan, pace: flags },
    scope: selectScope(plan, plain, printer.options, { hasPage: page !== undefined, rooms: rooms.length }),
    onFailure: (room, error) => page?.failed(room, error),
  })
  const subject = selectRoomSubject(plan.grouping)
  const source = subject
    ? createRoomRows(subject, plan)
    : new Groups(plan, plain.fields, isTable || page !== undefined)
  const table = isTable
    ? new ReportTable(host, plain, plan, !plan.grouping.hasPeak && rooms.length === 1)
    : undefined
  const view = table?.view ?? plain
  const isShown = (row: Item) =>
    // Anonymous participants have no user ID.
    (format !== 'ids' || row[view.id ?? ''] !== null) && isListed(row, plan)

  async function* write({ lines, scale }: Rows): AsyncGenerator<Page> {
    // A section of the page counts all people of a meeting, so the page needs all rows.
    const ofRoom = page && plan.grouping.subject === 'meeting' ? [...lines] : undefined
    if (ofRoom && scale) await page?.rows(ofRoom, scale)
    for await (const batch of inTurns(ofRoom ?? lines, interrupt)) {
      if (scale && !ofRoom) await page?.rows(batch, scale)
      yield { items: (table?.show(batch, scale) ?? batch.map(({ row }) => row)).filter(isShown) }
    }
  }

  async function* readPages(): AsyncGenerator<Page> {
    for await (const report of reader.read()) {
      await page?.room(report)
      yield* write(await source.add(report))
      await printing?.onRoom(report)
    }
    yield* write(source.end())
  }

  const list = () =>
    page
      ? // Completes the page even if the reader of the rows closes the pipe.
        printAll(printer, view, plain.key, readPages())
      : printer.list(view, plain.key, isTable ? groupPages(readPages()) : readPages())

  try {
    const count = await (printing ? printing.print(readPages, list) : list())
    await reader.finish()
    const noun = plan.onlyAbsent ? 'absences' : view.noun[1]
    if (count === 0 && isTable) await printer.notice(`no ${rooms.length === 0 ? 'rooms' : noun}`)
  } finally {
    if (page) {
      await page.close(reader.isComplete && !interrupt.aborted)
      await context.notice(`wrote ${html}`)
    }
  }
}

function selectScope(
  { grouping, absent }: ReportPlan,
  { fields }: View,
  { format, columns }: PrintOptions,
  { hasPage, rooms }: { hasPage: boolean; rooms: number },
): ReportScope {
  const { subject } = grouping
  const ofRoom = selectRoomSubject(grouping)
  const isShown = (field: string) =>
    fields.includes(field) && (hasPage || (format !== 'ids' && (columns?.includes(field) ?? true)))
  const isNamed = isShown('name')
  // A table of one room needs no request for the room's name.
  const omitsRoomName = format === 'table' && columns === undefined && rooms === 1 && !grouping.hasPeak
  const hasRoomNames = isShown('room_name') && !omitsRoomName
  return {
    invitations: absent && ofRoom === undefined,
    // The page of a report by room shows the people.
    names: isNamed && (ofRoom !== 'room' || hasPage),
    roomNames: hasPage || hasRoomNames || (isNamed && ofRoom === 'room'),
    roles: isShown('role'),
    visits: subject === 'session',
  }
}
