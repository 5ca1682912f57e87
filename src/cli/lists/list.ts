import { omitUndefined } from '../../api/defined.ts'
import { endpoints } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags, PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import { viewOf } from '../output/views/views.ts'
import type { FullRecords } from './full-records.ts'
import type { ListName } from './paging/list-name.ts'
import { pagesOf } from './paging/pages-of.ts'
import type { Selection } from './selection.ts'

interface ListOptions {
  /** Sends the requests; the client of the command when not given. */
  client?: Client | undefined
  /** How many pages are on their way while one is used. */
  ahead?: number
  /** Chooses among the items; `closed` ends it. */
  selection?: Selection | undefined
  /** Reads the whole list once even if it changes meanwhile: for lists that are only shown. */
  readOnce?: boolean
}

/** The pages of a list operation, as the flags want them. Throws behind the last one when the list is incomplete. */
export async function listPages<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: Omit<ListFlags, 'where'>,
  { ahead, selection, client: given, readOnce }: ListOptions = {},
): Promise<AsyncGenerator<Page, Page | undefined>> {
  const { all = false, limit, offset, pageSize } = flags
  // Filtering needs every page.
  const request = selection ? { all: true, pageSize, readOnce } : { all, limit, offset, pageSize, readOnce }
  const pages = pagesOf(context, given ?? (await context.client()), name, input, request, ahead)
  return selection ? selection.from(pages, roomIdOf(input), { limit, offset }) : pages
}

/**
 * What `--where` chooses from a list; undefined when it says nothing.
 * @param pace how many rooms are looked into at once
 * @throws {UsageError} for conditions that the things of this list cannot meet
 */
export async function openSelection(
  context: Context,
  name: ListName,
  where: readonly string[] | undefined,
  pace: Partial<PaceFlags> = {},
): Promise<Selection | undefined> {
  if (!where) return undefined
  const { parseWhere } = await import('../filter/where.ts')
  const { Selection } = await import('./selection.ts')
  const view = viewOf(endpoints[name])
  const filter = await parseWhere(where, name, view, context.host.now())
  const full = await fullRecords(context, name, undefined)
  if (!full || filter.metrics.length === 0) return new Selection(context, view, filter, { full })
  const { RoomMetricsReader } = await import('./room-metrics.ts')
  return new Selection(context, view, filter, {
    full,
    facts: new RoomMetricsReader(context, filter, full, pace),
  })
}

/** The pages that the conditions leave, and their end. */
export async function selectedPages<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: Omit<ListFlags, 'where'>,
  { selection, readOnce }: Pick<ListOptions, 'selection' | 'readOnce'>,
): Promise<AsyncGenerator<Page, Page | undefined>> {
  const pages = await listPages(context, name, input, flags, { selection, ...omitUndefined({ readOnce }) })
  return selection ? selection.closed(pages) : pages
}

/** What knows the full records of items that say little; undefined where a list is all that there is. */
export async function fullRecords(
  context: Context,
  name: ListName,
  selection: Selection | undefined,
): Promise<FullRecords | undefined> {
  if (selection || name === 'listSessions') return selection?.full
  const { FullRecords } = await import('./full-records.ts')
  return new FullRecords(context, name)
}

/** The room that members or sessions are in; empty for what is in none. */
export const roomIdOf = (input: object) => (input as { params?: { room_id?: string } }).params?.room_id ?? ''
