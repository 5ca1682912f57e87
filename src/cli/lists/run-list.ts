import { endpoints } from '../../api/endpoints.ts'
import { createFlagConflict } from '../../api/flag-conflict.ts'
import type { InputOf } from '../../api/operations.ts'
import { resources } from '../../api/resources.ts'
import { computedTypes } from '../filter/metric-types.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import { selectView } from '../output/views/views.ts'
import { createFullRecords, openSelection } from './open-selection.ts'
import type { ListName } from './paging/paged-list.ts'
import { readList, readRoomId } from './read-list.ts'
import type { RoomValues, Selection } from './selection.ts'
import type { SortKey } from './sort.ts'

export async function runList<N extends ListName>(
  context: Context,
  name: N,
  input: InputOf<N>,
  flags: ListFlags,
): Promise<void> {
  const view = selectView(endpoints[name])
  requireCompatibleFlags(context, flags)
  if (flags.count) return runCount(context, name, input, flags)
  if (flags.countBy !== undefined) return runCountBy(context, name, input, flags, flags.countBy)
  const printer = await context.printer()
  printer.check(view)
  const values: RoomValues = new Map()
  const sorting = flags.sort === undefined ? undefined : await readSort(context, name, flags.sort, values)
  const selection = await openSelection(context, name, { ...flags, ...sorting, values })
  const pages = sorting
    ? await sortedPages(context, name, input, flags, { ...sorting, selection })
    : readList(context, name, input, { ...flags, selection })
  const { columns = [] } = printer.options
  const { concurrency } = flags
  const shown = columns.some((field) => computedTypes(resources[endpoints[name].resource]).has(field))
    ? (await import('./computed-fields.ts')).addComputedColumns(context, name, pages, columns, {
        ...{ concurrency, values, selection },
      })
    : pages
  const count = await printer.list(view, endpoints[name].result, shown)
  if (count === 0 && printer.options.format === 'table') await printer.notice(`no ${view.noun[1]}`)
  if (count === 0) await noticeFilters(context, input)
}

/** Explains filters of the service that may have excluded all items. */
async function noticeFilters(context: Context, input: { query?: object }): Promise<void> {
  for (const [name, text] of Object.entries(input.query ?? {})) {
    if (typeof text !== 'string') continue
    const { escapePattern, formatAsteriskHint, formatCondition } = await import('../filter/near-miss.ts')
    const field = name === 'email_search_query' ? 'email' : name
    if (text.includes('*')) await context.notice(formatAsteriskHint(text, field, text))
    else if (name === 'name' || name === 'layout')
      await context.notice(
        `--${name} compares the whole ${name} and its letter case; to match a part of the ${name}: ${formatCondition('--where', name, '~', escapePattern(text))}`,
      )
  }
}

export function requireCompatibleFlags(
  { flags: { columns } }: Context,
  { count, countBy, sort, all, limit, offset }: ListFlags,
): void {
  const countFlag = count ? '--count' : countBy === undefined ? undefined : '--count-by'
  if (all && limit !== undefined) throw createFlagConflict('--all', '--limit')
  if (countFlag === undefined) return
  const conflicts = {
    '--columns': countFlag === '--count' && columns !== undefined,
    '--count-by': countFlag === '--count' && countBy !== undefined,
    '--sort': sort !== undefined,
    '--limit': limit !== undefined,
    '--offset': offset !== undefined,
  }
  const [conflict] = Object.entries(conflicts).find(([, isGiven]) => isGiven) ?? []
  if (conflict) throw createFlagConflict(countFlag, conflict)
}

async function readSort(context: Context, name: ListName, text: string, values: RoomValues) {
  const { createComputedView } = await import('./computed-fields.ts')
  const { parseSort } = await import('./sort.ts')
  const { fieldsOfList } = await import('../filter/where.ts')
  const view = createComputedView(context, name, values, (ms) => ms)
  const keys = parseSort(text, fieldsOfList(name, view))
  return { keys, needs: keys.map(({ field }) => field.name) }
}

async function sortedPages<N extends ListName>(
  context: Context,
  name: N,
  input: InputOf<N>,
  { pageSize, limit, offset, concurrency }: ListFlags,
  { keys, selection }: { keys: readonly SortKey[]; selection: Selection | undefined },
): Promise<AsyncGenerator<Page, undefined>> {
  const { sortPages } = await import('./sort.ts')
  const view = selectView(endpoints[name])
  const pages = readList(context, name, input, { all: true, pageSize, selection })
  const full = await createFullRecords(context, name, selection, concurrency)
  // If no service is configured, the error is thrown before the notice.
  await context.client()
  await context.notice(`--sort reads all ${view.noun[1]} first`)
  return sortPages(context, pages, { view, keys, limit, offset, room: readRoomId(input), full })
}

async function runCount<N extends ListName>(
  context: Context,
  name: N,
  input: InputOf<N>,
  { pageSize, ...conditions }: ListFlags,
): Promise<void> {
  const { countItems } = await import('./count.ts')
  const { proveTotal } = await import('./paging/proven-total.ts')
  const selection = await openSelection(context, name, conditions)
  // The API specification (“Endpoints”) defines no total for sessions and pages.
  const total =
    selection || endpoints[name].paged === 'when asked'
      ? undefined
      : (await proveTotal(await context.client(), name, input, { pageSize })).count
  await countItems(context, readList(context, name, input, { all: true, pageSize, selection }), total)
}

async function runCountBy<N extends ListName>(
  context: Context,
  name: N,
  input: InputOf<N>,
  { pageSize, ...conditions }: ListFlags,
  field: string,
): Promise<void> {
  const { CountBy } = await import('./count.ts')
  const { createComputedView } = await import('./computed-fields.ts')
  const { fieldsOfList } = await import('../filter/where.ts')
  const values: RoomValues = new Map()
  const counts = new CountBy(field, fieldsOfList(name, createComputedView(context, name, values)))
  const printer = await context.printer()
  printer.check(counts.view)
  const selection = await openSelection(context, name, { ...conditions, needs: [field], values })
  const pages = readList(context, name, input, { all: true, pageSize, selection })
  const full = await createFullRecords(context, name, selection, conditions.concurrency)
  // If no service is configured, the error is thrown before the notice.
  await context.client()
  await counts.print(context, pages, full, readRoomId(input))
}
