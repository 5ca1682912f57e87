import { omitUndefined } from '../../api/defined.ts'
import { type Endpoint, endpoints, type Route } from '../../api/endpoints.ts'
import { idField, isId, isRecord } from '../../api/guards.ts'
import type { Answer } from '../../client/client.ts'
import { UsageError } from '../../errors.ts'
import { integerParser } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { defaultPageSize, fetchPage, type PageQuery } from './paging/page-size.ts'
import { paginate } from './paging/paginate.ts'

interface AnyList {
  key: string
  pages: AsyncGenerator<Page>
}

/**
 * Pages through any list of the service. In the query, `limit` is the page size and `offset` the start.
 * @throws {UsageError} when the response has no list, or an item no ID
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
  const pageSize = parseNumber('limit', 1, limit)
  const start = parseNumber('offset', 0, offset)
  const send = (page: PageQuery) =>
    client.request(endpoint, { query: { ...filters, ...page }, ...omitUndefined({ headers }) })
  const firstQuery = omitUndefined({ limit: pageSize ?? defaultPageSize, offset: start })
  // Only a response shows which field holds the items.
  const first = await (pageSize === undefined ? fetchPage(send, firstQuery, client.seen) : send(firstQuery))
  const key = findListField(first, endpoint)
  const id = findIdField(key)
  requireIds(first, key, id)
  let unused: Answer | undefined = first
  const pages = paginate({
    request: { all: true, offset: start, pageSize, readOnce: true },
    key,
    what: key,
    id,
    fetch: async (page) => {
      const answer = unused ?? (await send(page))
      if (!unused) requireIds(answer, key, id)
      unused = undefined
      return answer
    },
    seen: client.seen,
    notice: (text) => context.notice(text),
  })
  return { key, pages: addFields(first, key, pages) }
}

function parseNumber(name: string, least: number, value: unknown): number | undefined {
  return value === undefined ? undefined : integerParser(name, least)(String(value))
}

/** Finds the list field: the only one, or the one that the path names. */
function findListField({ value }: Answer, { path }: Route): string {
  const named = path.split('/').at(-1) ?? ''
  const isList = (name: string, value: unknown) => Array.isArray(value) || (value === null && name === named)
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

function findIdField(key: string): string {
  const known = Object.values<Endpoint>(endpoints).find(({ many, result }) => many && result === key)
  return known ? idField(known) : 'id'
}

function requireIds({ value }: Answer, key: string, id: string): void {
  const items: unknown = isRecord(value) ? value[key] : undefined
  if (items === null) return
  if (Array.isArray(items) && items.every((item) => isRecord(item) && isId(item[id]))) return
  throw new UsageError(`${key}: an item has no ${id} to tell it apart by`, {
    hint: 'ask for one page after the other, with -f limit=N -f offset=N',
  })
}

/** Adds the first response's other fields and the last paging to each page. */
async function* addFields(first: Answer, key: string, pages: AsyncGenerator<Page>): AsyncGenerator<Page> {
  const { [key]: _, ...fields } = first.value as Record<string, unknown>
  for await (const page of pages)
    yield { ...page, rest: { ...fields, ...omitUndefined({ paging: page.rest?.['paging'] }) } }
}
