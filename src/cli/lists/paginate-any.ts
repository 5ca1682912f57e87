import { omitUndefined } from '../../api/defined.ts'
import { type Endpoint, endpoints, type Route } from '../../api/endpoints.ts'
import { idField, isId, isRecord } from '../../api/guards.ts'
import type { Answer } from '../../client/client.ts'
import { UsageError } from '../../errors.ts'
import { wholeNumber } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { fetchPage, type PageQuery, usualPageSize } from './paging/page-size.ts'
import { paginate } from './paging/paginate.ts'

interface AnyList {
  /** Field of the body that holds the items. */
  key: string
  pages: AsyncGenerator<Page>
}

/**
 * The pages of any list of the service, to its end; `limit` of the query is the size of a page, `offset` where to begin.
 * @throws {UsageError} when the answer holds no list, or its items no id
 */
export async function paginateAny(
  context: Context,
  endpoint: Route,
  {
    query,
    headers,
  }: { query: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> },
): Promise<AnyList> {
  const client = await context.client()
  const { limit, offset, ...filters } = query
  const pageSize = numberOf('limit', 1, limit)
  const start = numberOf('offset', 0, offset)
  const send = (page: PageQuery) =>
    client.request(endpoint, { query: { ...filters, ...page }, ...omitUndefined({ headers }) })
  const whole = omitUndefined({ limit: pageSize ?? usualPageSize, offset: start })
  // Only an answer shows where its items are.
  const first = await (pageSize === undefined ? fetchPage(send, whole, client.seen) : send(whole))
  const key = listOf(first, endpoint)
  const id = idOf(key)
  requireIds(first, key, id)
  let held: Answer | undefined = first
  const pages = paginate({
    request: { all: true, offset: start, pageSize, readOnce: true },
    key,
    what: key,
    id,
    fetch: async (page) => {
      const answer = held ?? (await send(page))
      if (!held) requireIds(answer, key, id)
      held = undefined
      return answer
    },
    seen: client.seen,
    notice: (text) => context.notice(text),
  })
  return { key, pages: withFields(first, key, pages) }
}

function numberOf(name: string, least: number, value: unknown): number | undefined {
  return value === undefined ? undefined : wholeNumber(name, least)(String(value))
}

/** The field that holds the items: the only list, or the one that the path names. */
function listOf({ value }: Answer, { path }: Route): string {
  const named = path.split('/').at(-1) ?? ''
  const isList = (name: string, held: unknown) => Array.isArray(held) || (held === null && name === named)
  const lists = isRecord(value) ? Object.keys(value).filter((name) => isList(name, value[name])) : []
  const key = lists.includes(named) ? named : lists[0]
  if (key === undefined || (lists.length > 1 && key !== named))
    throw new UsageError(
      key === undefined
        ? `the answer of ${path} holds no list to page through`
        : `the answer of ${path} holds several lists: ${lists.join(', ')}`,
      { hint: 'leave out --paginate' },
    )
  return key
}

function idOf(key: string): string {
  const known = Object.values<Endpoint>(endpoints).find(({ many, result }) => many && result === key)
  return known ? idField(known) : 'id'
}

/** Pages overlap when items come or go meanwhile: only ids tell which are which. */
function requireIds({ value }: Answer, key: string, id: string): void {
  const items: unknown = isRecord(value) ? value[key] : undefined
  if (items === null) return
  if (Array.isArray(items) && items.every((item) => isRecord(item) && isId(item[id]))) return
  throw new UsageError(`${key}: an item has no ${id} to tell it apart by`, {
    hint: 'ask for one page after the other, with -f limit=N -f offset=N',
  })
}

/** One document is the first one, with all items and the paging of the last. */
async function* withFields(first: Answer, key: string, pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
  const { [key]: _, ...fields } = first.value as Record<string, unknown>
  for await (const page of pages)
    yield { ...page, rest: { ...fields, ...omitUndefined({ paging: page.rest?.['paging'] }) } }
}
