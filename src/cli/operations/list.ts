import { defined } from '../../api/defined.ts'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Input } from '../../api/operation.ts'
import type { Operations } from '../../api/operations.ts'
import { UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { ListFlags } from '../flags.ts'
import type { Page } from '../output/printer.ts'
import { viewOf } from '../output/views.ts'
import { paginate } from './paginate.ts'
import type { Filter } from './where.ts'

/** Runs a list operation and prints its items, page by page where the operation pages. */
export async function runList<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: ListFlags,
): Promise<void> {
  const endpoint: Endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const printer = await context.printer()
  printer.check(view)
  const pages = await listPages(context, name, input, flags)
  const count = await printer.list(view, endpoint.result, pages)
  if (count === 0 && printer.options.format === 'table') await printer.notice(`no ${view.noun[1]}`)
}

/**
 * The pages of a list operation, as the flags want them.
 * @param ahead how many pages are on their way while one is used
 * @throws {UsageError} when the flags do not fit together
 */
export async function listPages<N extends OperationName>(
  context: Context,
  name: N,
  input: Input<Operations[N]>,
  flags: ListFlags,
  ahead?: number,
): Promise<AsyncGenerator<Page>> {
  const { all = false, limit, offset, pageSize, where } = flags
  if (all && limit !== undefined) throw new UsageError('--all and --limit exclude each other')
  const endpoint: Endpoint = endpoints[name]
  const view = viewOf(endpoint)
  const filter = where && (await parseFilter(context, name, where))
  const client = await context.client()
  const { query } = input as { query?: object }
  const fetch = (paging: { limit?: number; offset?: number }) =>
    client.call(name, { ...input, query: { ...query, ...paging } })
  // What is wanted may stand on the last page.
  const request = filter ? { all: true, pageSize } : { all, limit, offset, pageSize }
  const pages = paginate({
    request,
    key: endpoint.result,
    id: view.id ?? 'id',
    fetch,
    notice: (text) => context.notice(text),
    isPagedWhenAsked: endpoint.paged === 'when asked',
    ...defined({ ahead }),
  })
  return filter ? filtered(pages, filter, { limit, offset }) : pages
}

/** @throws {UsageError} for conditions that the things of this list cannot meet */
export async function parseFilter(
  { host }: Context,
  name: OperationName,
  where: readonly string[],
): Promise<Filter> {
  const { parseWhere } = await import('./where.ts')
  return parseWhere(where, name, viewOf(endpoints[name]), host.now())
}

/** The items that are wanted: of those, some are skipped, and no more than so many are given. */
async function* filtered(
  pages: AsyncIterable<Page>,
  filter: Filter,
  {
    limit = Number.POSITIVE_INFINITY,
    offset = 0,
  }: { limit?: number | undefined; offset?: number | undefined },
): AsyncGenerator<Page> {
  let passed = 0
  let given = 0
  for await (const { whole: _, rest, ...page } of pages) {
    const matching = page.items.filter(filter)
    const items = matching.slice(Math.max(0, offset - passed)).slice(0, limit - given)
    passed += matching.length
    given += items.length
    const cut = given >= limit
    // How many there are in all is known at the end alone.
    const paging = { limit: given, offset, ...defined({ total: cut ? undefined : passed }) }
    yield { ...page, items, ...(rest && { rest: 'paging' in rest ? { ...rest, paging } : rest }) }
    if (cut) return
  }
}
