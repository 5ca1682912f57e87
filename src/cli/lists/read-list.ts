import { omitUndefined } from '../../api/defined.ts'
import { type Endpoint, endpoints } from '../../api/endpoints.ts'
import type { InputOf } from '../../api/operations.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, ServiceError } from '../../errors.ts'
import { listSentFilters, requireFiltered } from '../filter/sent-filters.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { type Item, selectView } from '../output/views/views.ts'
import { type ListName, type PagedList, type PageRequest, readItems } from './paging/paged-list.ts'
import { paginate } from './paging/paginate.ts'
import { ReadAhead } from './paging/read-ahead.ts'

export type ListContext = Pick<Context, 'client' | 'notice'> & Partial<Pick<Context, 'host' | 'flags'>>

type Pages = AsyncGenerator<Page, Page | undefined>

/** Part of `Selection` that lists need. */
interface ItemSelection {
  from(pages: Pages, room: string, range: Pick<ListOptions, 'limit' | 'offset'>): AsyncGenerator<Page, Page>
  withReport(pages: Pages, hint?: string): AsyncGenerator<Page, undefined>
}

/** Part of `FullRecords` that lists need. */
interface Records {
  of(items: readonly Item[], room: string): Promise<readonly (Item | undefined)[]>
}

interface ListOptions extends Partial<PageRequest> {
  /** Client in place of the client of the context, such as the client of a run. */
  client?: Client | undefined
  /** Maximum number of pages to request ahead. */
  ahead?: number
  /** Name of the items in messages. */
  what?: string
  /** Filter of the items. It applies `limit` and `offset` itself. */
  selection?: ItemSelection | undefined
  /** Hint of the error about unreadable rooms. */
  undecided?: string
  /** Source of the full records that replace the items. */
  full?: Records | undefined
  /** True if the caller passes the pages of all lists to `withReport`. */
  isShared?: boolean
}

export async function* readList<N extends ListName>(
  context: ListContext,
  name: N,
  input: InputOf<N>,
  { client: given, ahead, what, selection, undecided, isShared, full, ...range }: ListOptions = {},
): Pages {
  const client = given ?? (await context.client())
  const { limit, offset, pageSize } = range
  const request = selection ? { all: true, pageSize } : { ...range, all: range.all ?? false }
  const list = describeList(context, client, name, input, request)
  // The latency is not measured if other lists may use the same connections.
  const clock = given ? undefined : context.host
  const readAhead = new ReadAhead(omitUndefined({ clock, max: ahead }))
  const listed = paginate({ ...list, readAhead, ...omitUndefined({ what }) })
  const user = request.selectsItems || context.flags?.curl ? undefined : readUserId(input)
  const pages = user === undefined ? listed : requireUserOfEmpty(listed, client, user)
  const room = readRoomId(input)
  const selected = selection ? selection.from(pages, room, { limit, offset }) : pages
  const completed = full ? completePages(selected, full, room) : selected
  return yield* selection && !isShared ? selection.withReport(completed, undecided) : completed
}

async function* completePages(pages: Pages, full: Records, room: string): Pages {
  for (;;) {
    const next = await pages.next()
    if (next.done) return next.value
    const page = next.value
    const records = await full.of(page.items, room)
    const items = records.filter((record) => record !== undefined)
    const isSame = records.every((record, i) => record === page.items[i])
    yield isSame ? page : { items, ...omitUndefined({ rest: page.rest }) }
  }
}

export function withoutNotices(client: Client): ListContext {
  return { client: async () => client, notice: async () => {} }
}

function describeList<N extends ListName>(
  context: ListContext,
  client: Client,
  name: N,
  input: InputOf<N>,
  request: PageRequest,
): PagedList {
  const endpoint: Endpoint = endpoints[name]
  const { query = {} } = input as { query?: object }
  const room_id = readRoomId(input)
  const isFiltered = !request.selectsItems && listSentFilters(name, query).length > 0
  return {
    request,
    key: endpoint.result,
    what: endpoint.result + (room_id === '' ? '' : ` of room ${room_id}`),
    id: selectView(endpoint).id ?? 'id',
    fetch: async (paging) => {
      const response = await client.call(name, { ...input, query: { ...query, ...paging } })
      if (isFiltered) requireFiltered(name, query, readItems(endpoint.result, response))
      return response
    },
    serviceFacts: client.serviceFacts,
    notice: (text) => context.notice(text),
    isPagedWhenAsked: endpoint.paged === 'when asked',
  }
}

/** @throws {NotFoundError} if the list is empty and the user does not exist */
async function* requireUserOfEmpty(
  pages: AsyncGenerator<Page>,
  client: Client,
  user_id: string,
): AsyncGenerator<Page, undefined> {
  const empty: Page[] = []
  let isEmpty = true
  for await (const page of pages) {
    if (isEmpty && page.items.length === 0) {
      empty.push(page)
      continue
    }
    isEmpty = false
    yield* empty.splice(0)
    yield page
  }
  if (isEmpty) await client.call('getUser', { params: { user_id } }).catch(ignoreUnknownUsers)
  yield* empty
}

/** Ignores errors of services that cannot return single users. */
function ignoreUnknownUsers(error: unknown): void {
  const isUnknown = error instanceof ApiError || error instanceof ServiceError
  if (!isUnknown) throw error
}

/** Returns the user ID in the filter; undefined if it is missing or empty (anonymous participants). */
const readUserId = (input: object) => (input as { query?: { user_id?: string } }).query?.user_id || undefined

export const readRoomId = (input: object) =>
  (input as { params?: { room_id?: string } }).params?.room_id ?? ''
