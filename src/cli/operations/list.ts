import { defined } from '../../api/defined.ts'
import { type Endpoint, endpoints } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ListFlags } from '../flags.ts'
import type { Page } from '../output/page.ts'
import { viewOf } from '../output/views.ts'
import { paginate } from './paginate.ts'
import type { Selection } from './selection.ts'

/** Runs a list operation and prints its items, page by page where the operation pages. */
export async function runList<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: ListFlags,
): Promise<void> {
  const endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const printer = await context.printer()
  printer.check(view)
  const selection = await select(context, name, flags.where)
  const pages = await listPages(context, name, input, flags, { selection })
  const count = await printer.list(view, endpoint.result, selection ? selection.closed(pages) : pages)
  if (count === 0 && printer.options.format === 'table') await printer.notice(`no ${view.noun[1]}`)
}

/** The operations that list. */
export type ListName = 'listRooms' | 'listMembers' | 'listUsers' | 'listSessions'

interface ListOptions {
  /** How many pages are on their way while one is used. */
  ahead?: number
  /** Chooses among the items; `closed` ends it. */
  selection?: Selection | undefined
}

/**
 * The pages of a list operation, as the flags want them.
 * @throws {UsageError} when the flags do not fit together
 */
export async function listPages<N extends ListName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: Omit<ListFlags, 'where'>,
  { ahead, selection }: ListOptions = {},
): Promise<AsyncGenerator<Page, Page | undefined>> {
  const { all = false, limit, offset, pageSize } = flags
  if (all && limit !== undefined) throw new UsageError('--all and --limit cannot be used together')
  const endpoint: Endpoint = endpoints[name]
  const client = await context.client()
  const { params = {}, query } = input as { params?: { room_id?: string }; query?: object }
  const pages = paginate({
    // Filtering needs every page.
    request: selection ? { all: true, pageSize } : { all, limit, offset, pageSize },
    key: endpoint.result,
    id: viewOf(endpoint).id ?? 'id',
    fetch: (paging) => client.call(name, { ...input, query: { ...query, ...paging } }),
    seen: client.seen,
    notice: (text) => context.notice(text),
    isPagedWhenAsked: endpoint.paged === 'when asked',
    ...defined({ ahead }),
  })
  return selection ? selection.from(pages, params.room_id ?? '', { limit, offset }) : pages
}

/**
 * What `--where` chooses from a list; undefined when it says nothing.
 * @throws {UsageError} for conditions that the things of this list cannot meet
 */
export async function select(
  context: Context,
  name: ListName,
  where: readonly string[] | undefined,
): Promise<Selection | undefined> {
  if (!where) return undefined
  const { parseWhere } = await import('./where.ts')
  const { Selection } = await import('./selection.ts')
  const { FullRecords } = await import('./full-records.ts')
  const view = viewOf(endpoints[name])
  const filter = await parseWhere(where, name, view, context.host.now())
  return new Selection(
    context,
    view,
    filter,
    name === 'listSessions' ? undefined : new FullRecords(context, name),
  )
}
