import type { ReportRow } from '../../../attendance/rows.ts'
import type { Context } from '../../../kernel/context.ts'
import { groupPages, printAll } from '../../../lists/print-all.ts'
import type { Printer } from '../../../output/printer.ts'
import type { Page } from '../../../output/views/page.ts'
import type { Item } from '../../../output/views/views.ts'
import type { RoomReports } from './room-reports.ts'
import { createRowSource, type RowSourceOptions } from './row-source.ts'
import type { WebPage } from './web-page.ts'

export interface Report extends RowSourceOptions {
  context: Context
  printer: Printer
  reports: RoomReports
  rooms: readonly Item[]
  page: WebPage | undefined
}

export async function writeReport({
  context,
  printer,
  reports,
  rooms,
  page,
  ...options
}: Report): Promise<void> {
  const { isTable } = options
  let pageRows: ReportRow[] = []
  const source = createRowSource(context, options, (lines) => {
    if (page) pageRows = pageRows.concat(lines)
  })
  const { view } = source
  // Anonymous participants have no ID.
  const isShown = (row: Item) => printer.options.format !== 'ids' || row[view.id ?? ''] !== null

  async function writePageRows(): Promise<void> {
    const lines = pageRows
    pageRows = []
    if (lines.length > 0) await page?.rows(lines)
  }

  async function* pages(): AsyncGenerator<Page> {
    for await (const report of reports.read()) {
      await page?.room(report)
      yield* toPages(source.add(report), isShown)
      await writePageRows()
    }
    yield* toPages(source.end(), isShown)
    await writePageRows()
  }

  const count = page
    ? // The page is finished although the reader of the rows goes away.
      await printAll(printer, view, 'attendance', pages())
    : await printer.list(view, 'attendance', isTable ? groupPages(pages()) : pages())
  await reports.finish()
  if (count === 0 && isTable) await printer.notice(`no ${rooms.length === 0 ? 'rooms' : view.noun[1]}`)
}

const maxRowsPerPage = 1000

function* toPages(rows: Iterable<Item>, isShown: (row: Item) => boolean): Generator<Page> {
  let items: Item[] = []
  for (const row of rows) {
    if (isShown(row)) items.push(row)
    if (items.length < maxRowsPerPage) continue
    yield { items }
    items = []
  }
  if (items.length > 0) yield { items }
}
