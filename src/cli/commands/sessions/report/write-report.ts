import { inTurns } from '../../../attendance/in-turns.ts'
import type { RowChunk } from '../../../attendance/totals.ts'
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
  let chunks: RowChunk[] = []
  const source = createRowSource(context, options, (chunk) => {
    if (page) chunks.push(chunk)
  })
  const { view } = source
  // Anonymous participants have no ID.
  const isShown = (row: Item) => printer.options.format !== 'ids' || row[view.id ?? ''] !== null

  async function* write(rows: Iterable<Item>): AsyncGenerator<Page> {
    for await (const batch of inTurns(rows, context.interrupt)) {
      yield { items: batch.filter(isShown) }
      await writeChunks()
    }
    await writeChunks()
  }

  async function writeChunks(): Promise<void> {
    const written = chunks
    chunks = []
    for (const chunk of written) await page?.rows(chunk)
  }

  async function* pages(): AsyncGenerator<Page> {
    for await (const report of reports.read()) {
      await page?.room(report)
      yield* write(await source.add(report))
    }
    yield* write(source.end())
  }

  const count = page
    ? // The page is finished although the reader of the rows goes away.
      await printAll(printer, view, 'attendance', pages())
    : await printer.list(view, 'attendance', isTable ? groupPages(pages()) : pages())
  await reports.finish()
  if (count === 0 && isTable) await printer.notice(`no ${rooms.length === 0 ? 'rooms' : view.noun[1]}`)
}
