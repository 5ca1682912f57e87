import { omitUndefined } from '../../api/defined.ts'
import { type Endpoint, endpoints, type Route } from '../../api/endpoints.ts'
import { getIdField, isId, isRecord } from '../../api/guards.ts'
import type { ResponseBody } from '../../client/parsed-response.ts'
import { UsageError } from '../../errors.ts'
import { createIntegerParser } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { Page } from '../output/views/page.ts'
import { defaultPageSize, fetchPage, type PageQuery } from './paging/page-size.ts'
import { paginate } from './paging/paginate.ts'
import { ReadAhead } from './paging/read-ahead.ts'

/**
 * Pages through any list. In the query, `limit` is the page size, and `offset` is the first position.
 * @throws {UsageError} if the list is missing or ambiguous, an item has no ID, or the query is invalid
 */
export async function paginateAny(
  context: Context,
  endpoint: Route,
  {
    query,
    headers,
  }: { query: Readonly<Record<string, unknown>>; headers?: Readonly<Record<string, string>> },
): Promise<{ key: string; pages: AsyncGenerator<Page> }> {
  const client = await context.client()
  const { limit, offset, ...filters } = query
  const pageSize = parseNumber('limit', 1, limit)
  const start = parseNumber('offset', 0, offset)
  const send = (page: PageQuery) =>
    client.request(endpoint, { query: { ...filters, ...page }, ...omitUndefined({ headers }) })
  const firstQuery = omitUndefined({ limit: pageSize ?? defaultPageSize, offset: start })
  // The field with the items is known only from a response.
  const first = await (pageSize === undefined
    ? fetchPage(send, firstQuery, client.serviceFacts)
    : send(firstQuery))
  const key = findListField(first, endpoint)
  const id = findIdField(key)
  requireIds(first, key, id)
  let unused: ResponseBody | undefined = first
  const pages = paginate({
    request: { all: true, offset: start, pageSize },
    key,
    what: key,
    id,
    fetch: async (page) => {
      const response = unused ?? (await send(page))
      if (!unused) requireIds(response, key, id)
      unused = undefined
      return response
    },
    serviceFacts: client.serviceFacts,
    notice: (text) => context.notice(text),
    readAhead: new ReadAhead({ clock: context.host }),
  })
  return { key, pages: addFields(first, key, pages) }
}

function parseNumber(name: string, min: number, value: unknown): number | undefined {
  return value === undefined ? undefined : createIntegerParser(name, min)(String(value))
}

function findListField({ value }: ResponseBody, { path }: Route): string {
  const named = path.split('/').at(-1) ?? ''
  const isList = (name: string, value: unknown) => Array.isArray(value) || (value === null && name === named)
  const lists = isRecord(value) ? Object.keys(value).filter((name) => isList(name, value[name])) : []
  const key = lists.includes(named) ? named : lists[0]
  if (key === undefined || (lists.length > 1 && key !== named))
    throw new UsageError(
      key === undefined
        ? `the response of ${path} contains no list`
        : `the response of ${path} contains several lists: ${lists.join(', ')}`,
      { hint: 'omit --paginate', lineEdit: { before: 'type: ', omit: ['--paginate'] } },
    )
  return key
}

function findIdField(key: string): string {
  const known = Object.values<Endpoint>(endpoints).find(({ many, result }) => many && result === key)
  return known ? getIdField(known) : 'id'
}

function requireIds({ value }: ResponseBody, key: string, id: string): void {
  const items: unknown = isRecord(value) ? value[key] : undefined
  if (items === null) return
  if (Array.isArray(items) && items.every((item) => isRecord(item) && isId(item[id]))) return
  throw new UsageError(`${key}: an item has no ${id}, so the responses cannot be combined`, {
    hint: 'omit --paginate, and add: -f limit=100 -f offset=0',
    lineEdit: {
      before: 'read the items in several requests, beginning with: ',
      omit: ['--paginate'],
      add: ['-f', 'limit=100', '-f', 'offset=0'],
    },
  })
}

async function* addFields(
  first: ResponseBody,
  key: string,
  pages: AsyncGenerator<Page>,
): AsyncGenerator<Page> {
  const { [key]: _, ...fields } = first.value as Record<string, unknown>
  for await (const page of pages)
    yield { ...page, rest: { ...fields, ...omitUndefined({ paging: page.rest?.['paging'] }) } }
}
