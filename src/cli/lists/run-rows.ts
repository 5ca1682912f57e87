import { omitUndefined } from '../../api/defined.ts'
import { readTimeZone } from '../calendar/time-zone.ts'
import { fieldsOfRows, parseWhere } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import type { RowKind } from '../output/views/define-row.ts'
import type { Page } from '../output/views/page.ts'
import { requireCompatibleFlags } from './run-list.ts'
import { Selection } from './selection.ts'

/**
 * Lists rows with the flags of lists.
 * @param pages rows, which are read only after the flags are checked
 * @throws {UsageError} for invalid or conflicting flags
 */
export async function runRows(
  context: Context,
  kind: RowKind,
  pages: AsyncIterable<Page>,
  flags: ListFlags,
  show?: (pages: AsyncIterable<Page>) => Promise<number>,
): Promise<void> {
  const { where = [], sort, count, countBy, limit, offset } = flags
  requireCompatibleFlags(context, flags)
  const printer = await context.printer()
  if (!count && countBy === undefined) printer.check(kind)
  const known = fieldsOfRows(kind)
  const clock = { now: context.host.now(), zone: await readTimeZone(context) }
  const filter = await parseWhere(where, known, clock)
  const selection = new Selection(context, kind, filter, { full: undefined, values: new Map() })
  const select = (range?: { limit?: number; offset?: number }) =>
    selection.withReport(selection.from(pages, '', range))
  if (count) return (await import('./count.ts')).countItems(context, select(), undefined)
  if (countBy !== undefined) {
    const { CountBy } = await import('./count.ts')
    return new CountBy(countBy, known).print(context, select(), undefined, '')
  }
  const range = omitUndefined({ limit, offset })
  const rows = sort === undefined ? select(range) : await sortRows(sort)
  const shown = await (show?.(rows) ?? printer.list(kind, kind.key, rows))
  if (shown === 0 && printer.options.format === 'table') await printer.notice(`no ${kind.noun[1]}`)

  async function sortRows(text: string) {
    const { parseSort, sortPages } = await import('./sort.ts')
    const keys = parseSort(text, known)
    return sortPages(context, select(), { view: kind, keys, room: '', ...range })
  }
}
