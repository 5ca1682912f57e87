import { answer, type Exchange, edited, type FakeService, isList, type Thing } from '../fake.ts'
import { cap, isShort, type Listing, lister, readable, usual } from './list-order.ts'

/** Pages lists, and responds with `behind()` to offsets beyond the end. */
const ending =
  (behind: () => ReturnType<typeof answer>): (() => Exchange) =>
  () =>
  async (request, next) => {
    if (!isList(request)) return next()
    const url = new URL(request.url)
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 30), cap)
    const offset = Number(url.searchParams.get('offset') ?? 0)
    url.searchParams.set('limit', String(limit))
    url.searchParams.set('offset', String(offset))
    const response = await next({ ...request, url: url.href })
    const body = response.status === 200 ? JSON.parse(new TextDecoder().decode(response.body)) : {}
    const count = body.paging?.total ?? 0
    return offset > 0 && offset >= count ? behind() : response
  }
const ends = (
  name: string,
  behind: () => ReturnType<typeof answer>,
  facts: Pick<FakeService, 'isReadable'> = {},
) => ({
  name: `responds to offsets beyond the end with ${name}`,
  make: ending(behind),
  ...facts,
})

/** Services with an unusual response to offsets beyond the end. */
export const listEnds: readonly FakeService[] = [
  ends('{}', () => answer(200, {})),
  ends('204 without a body', () => answer(204, '')),
  ends('410', () => answer(410, { error: { message: 'gone' } })),
  ends('422', () => answer(422, { error: { message: 'offset too large' } })),
  ends('500 and an object', () => answer(500, { error: { message: 'offset out of range' } })),
  ends('200 and an error', () => answer(200, { rooms: [], error: { message: 'offset out of range' } })),
  ends('a list without paging', () => answer(200, { rooms: [], users: [], members: [], sessions: [] })),
]

const withTotal = (change: (asked: Listing) => unknown) => (asked: Listing) => ({
  ...usual(asked),
  paging: { total: change(asked) },
})

export const listTotals: readonly FakeService[] = [
  lister(
    'shows the total of all tenants',
    withTotal(({ items }) => items.length * 3),
  ),
  lister(
    'shows how many items remain as the total',
    withTotal(({ items, offset }) => Math.max(0, items.length - offset)),
  ),
  lister(
    'estimates the total, a little higher in each request',
    withTotal(({ items, sent }) => items.length + 1 + (sent % 3)),
  ),
  lister(
    'estimates the total, too low',
    withTotal(({ items }) => Math.floor(items.length * 0.8)),
    readable,
  ),
  lister(
    'stops counting at 10',
    withTotal(({ items }) => Math.min(10, items.length)),
    readable,
  ),
  lister(
    'shows the total only on the first page',
    withTotal(({ items, offset }) => (offset === 0 ? items.length : undefined)),
    readable,
  ),
  lister(
    'shows the total as words',
    withTotal(({ items }) => `${items.length} items`),
    readable,
  ),
  lister(
    'shows the number of pages as the total',
    withTotal(({ items }) => Math.ceil(items.length / cap)),
    readable,
  ),
  lister(
    'counts deleted items in the total',
    withTotal(({ items }) => items.length + 4),
  ),
  lister(
    'shows more and a cursor instead of a total',
    (asked) => {
      const page = usual(asked)
      const end = asked.offset + page.items.length
      return {
        ...page,
        paging: { total: undefined, has_more: end < asked.items.length, next_cursor: String(end) },
      }
    },
    readable,
  ),
  lister('ignores the offset without the cursor', (asked) => ({
    ...usual({ ...asked, offset: 0 }),
    paging: { total: undefined, next_cursor: 'abc' },
  })),
  lister('clamps offsets at 5', (asked) => usual({ ...asked, offset: Math.min(5, asked.offset) })),
  lister(
    'starts over at the first item beyond the end',
    (asked) => usual({ ...asked, offset: asked.offset % Math.max(1, asked.items.length) }),
    readable,
  ),
  lister('gains an item at the top after the first page', (asked) => {
    const items = asked.sent === 0 && !isShort(asked) ? asked.items.slice(1) : asked.items
    return { ...usual({ ...asked, items }), paging: { total: items.length } }
  }),
  lister('gains an item at the end after the first page', (asked) => {
    const items = asked.sent === 0 && !isShort(asked) ? asked.items.slice(0, -1) : asked.items
    return { ...usual({ ...asked, items }), paging: { total: items.length } }
  }),
]

type Change = (body: Thing, key: string, sent: number) => unknown

const lists =
  (change: Change): (() => Exchange) =>
  () => {
    let sent = 0
    return async (request, next) =>
      isList(request)
        ? edited(await next(), (body) =>
            change(body, Object.keys(body).find((key) => Array.isArray(body[key])) ?? '', sent++),
          )
        : next()
  }
const shaped = (name: string, change: Change, isReadable = false): FakeService => ({
  name,
  make: lists(change),
  isReadable,
})

export const listBodies: readonly FakeService[] = [
  shaped(
    'wraps lists in an envelope of a success',
    (body) => ({ success: true, error: null, errors: [], ...body }),
    true,
  ),
  shaped(
    'sends the status “ok” and the code 0 beside lists',
    (body) => ({ status: 'ok', code: 0, message: 'success', ...body }),
    true,
  ),
  shaped('shows warnings beside lists', (body) => ({ ...body, warnings: ['deprecated'] }), true),
  shaped('sends lists as objects with numbers for keys', (body, key) => ({
    ...body,
    [key]: { ...body[key] },
  })),
  shaped('sends an empty list for paging', (body) => ({ ...body, paging: [] }), true),
  shaped('sends half of a list with incomplete_results', (body, key) => ({
    ...body,
    incomplete_results: true,
    [key]: body[key].slice(0, body[key].length / 2),
    paging: { total: Math.floor(body[key].length / 2) },
  })),
  shaped('sends half of a list with the errors of a shard', (body, key) => ({
    ...body,
    errors: [{ path: [key], message: 'shard 2 failed' }],
    [key]: body[key].slice(0, body[key].length / 2),
    paging: { total: Math.floor(body[key].length / 2) },
  })),
  shaped('sends an empty list with the code of a failure', (body, key) => ({
    ...body,
    statusCode: 503,
    [key]: [],
  })),
  shaped('sends an empty list with timed_out', (body, key) => ({
    ...body,
    timed_out: true,
    [key]: [],
    paging: { total: 0 },
  })),
  shaped('sends a deleted item without an ID in lists', (body, key) => ({
    ...body,
    [key]: [...body[key], { id: null, deleted: true }],
  })),
  {
    name: 'responds to lists with 206',
    make: () => async (request, next) => {
      const response = await next()
      return isList(request) && response.status === 200 ? { ...response, status: 206 } : response
    },
    isReadable: true,
  },
]

/** Creates a service that caches lists by a key of the URL. */
const cached = (name: string, key: (url: URL) => string): FakeService => ({
  name,
  make: () => {
    const pages = new Map<string, Promise<Awaited<ReturnType<Exchange>>>>()
    return async (request, next) => {
      if (!isList(request)) {
        if (request.method !== 'GET') pages.clear()
        return next()
      }
      const url = new URL(request.url)
      const limit = Math.min(Number(url.searchParams.get('limit') ?? 30), cap)
      url.searchParams.set('limit', String(limit))
      if (!url.searchParams.has('offset')) url.searchParams.set('offset', '0')
      const held = key(url)
      const page = pages.get(held) ?? next({ ...request, url: url.href })
      pages.set(held, page)
      return page
    }
  },
})

export const listCaches: readonly FakeService[] = [
  cached('caches lists by their URL without the offset', ({ href }) => href.replace(/[?&]offset=\d+/, '')),
  cached('caches lists by their URL without limit and offset', ({ href }) =>
    href.replace(/[?&](offset|limit)=\d+/g, ''),
  ),
  { ...cached('caches lists by the whole URL', ({ href }) => href), isReadable: true },
]
