import { toText } from '../../../../api/to-text.ts'
import { UsageError } from '../../../../errors.ts'
import { readTimeZone } from '../../../calendar/read-time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import { defaultPageSize } from '../../../lists/paging/page-size.ts'
import { readRooms } from '../../../lists/select-rooms.ts'
import type { Item } from '../../../output/views/views.ts'
import { Tally } from '../../../pool/tally.ts'
import { undefinedIfPreviewed } from '../../../requests/before-send.ts'
import { readSpan } from './span.ts'
import { summarizeReport } from './summary.ts'
import { reportView } from './views.ts'
import { type ReportFlags, writeReport } from './write-report.ts'

/** @throws {PartialError} if some rooms failed or were not listed; a report on one room throws the room's error */
export async function runReport(
  context: Context,
  given: readonly string[],
  flags: ReportFlags,
): Promise<void> {
  const { by, absent = false, includeBlocked = false, minMinutes = 0, html } = flags
  if (absent && by === 'session')
    throw new UsageError('--absent lists people, so --by session does not work with it')
  if (includeBlocked && !absent) throw new UsageError('--include-blocked works only with --absent')
  const now = context.host.now()
  const zone = await readTimeZone(context)
  const span = readSpan(flags, now, zone)
  const printer = await context.printer()
  printer.check(reportView(by, includeBlocked))
  const { rooms, incomplete } = await readRooms(context, given, flags)
  if (context.flags.curl) return showRequests(context, rooms)
  const about = { rooms: rooms.length, span, now, zone, printer, minMinutes, absent }
  const page =
    html === undefined
      ? undefined
      : await (await import('./web-page.ts')).WebPage.open(html, context.host.cwd, about)
  const tally = new Tally(rooms.length, summarizeReport)
  try {
    await writeReport({ context, printer, rooms, incomplete, flags, now, span, zone, page, tally })
  } finally {
    if (page) {
      await page.close(tally.isComplete && !incomplete)
      await context.notice(`wrote ${html}`)
    }
  }
}

/** With `--curl`, shows the requests that do not depend on a response. */
async function showRequests(context: Context, rooms: readonly Item[]): Promise<void> {
  const client = await context.client()
  const query = { limit: defaultPageSize }
  for (const { id } of rooms)
    await undefinedIfPreviewed(client.call('listSessions', { params: { room_id: toText(id) }, query }))
}
