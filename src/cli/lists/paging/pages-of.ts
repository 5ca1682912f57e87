import { omitUndefined } from '../../../api/defined.ts'
import { type Endpoint, endpoints } from '../../../api/endpoints.ts'
import type { Input } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import type { Client } from '../../../client/client.ts'
import { listSentFilters, requireFiltered } from '../../filter/sent-filters.ts'
import type { Context } from '../../kernel/context.ts'
import type { Page } from '../../output/views/page.ts'
import { type Item, selectView } from '../../output/views/views.ts'
import type { ListName } from './list-name.ts'
import { type PageRequest, readItems } from './paged-list.ts'
import { paginate } from './paginate.ts'
import type { ReadAhead } from './read-ahead.ts'

/**
 * Pages through a list operation.
 * @throws {IncompleteError} after the last page, if the list is incomplete
 * @throws {FilterIgnoredError} before a page with an item that contradicts a filter of the input
 */
export function listPagesOf<N extends ListName>(
  context: Pick<Context, 'notice'>,
  client: Client,
  name: N,
  input: Input<Operations[N]>,
  request: PageRequest,
  readAhead?: ReadAhead,
): AsyncGenerator<Page> {
  const endpoint: Endpoint = endpoints[name]
  const { query = {}, params } = input as { query?: object; params?: { room_id?: string } }
  const inRoom = params?.room_id === undefined ? '' : ` of room ${params.room_id}`
  const isFiltered = !request.selectsItems && listSentFilters(name, query).length > 0
  return paginate({
    request,
    key: endpoint.result,
    what: endpoint.result + inRoom,
    id: selectView(endpoint).id ?? 'id',
    fetch: async (paging) => {
      const answer = await client.call(name, { ...input, query: { ...query, ...paging } })
      if (isFiltered) requireFiltered(name, query, readItems(endpoint.result, answer))
      return answer
    },
    serviceFacts: client.serviceFacts,
    notice: (text) => context.notice(text),
    isPagedWhenAsked: endpoint.paged === 'when asked',
    ...omitUndefined({ readAhead }),
  })
}

/** Reads all pages of a list, to prove writes. */
export async function* readPages(
  context: Pick<Context, 'notice'>,
  client: Client,
  name: ListName,
  input: object,
): AsyncGenerator<readonly Item[]> {
  const pages = listPagesOf(context, client, name, input as Input<Operations[ListName]>, { all: true })
  for await (const { items } of pages) yield items
}
