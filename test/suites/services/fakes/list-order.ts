import { answer, type Exchange, type FakeService, isList, jsonOf, type Setting, type Thing } from '../fake.ts'

/** Request for a list, with all items of the list. */
export interface Listing {
  items: readonly Thing[]
  limit: number
  offset: number
  /** Number of earlier list responses. */
  sent: number
}

/** Page of a list, with changes to its paging. */
export interface ListPage {
  items: readonly unknown[]
  paging?: object
  /** Additional fields of the body. */
  beside?: object
}

/** Usual maximum of items per page. */
export const cap = 5

/** Returns the page that a correct service sends. */
export const usual = ({ items, limit, offset }: Listing): ListPage => ({
  items: items.slice(offset, offset + Math.min(limit, cap)),
})

const listing =
  (page: (asked: Listing) => ListPage): (() => Exchange) =>
  () => {
    let sent = 0
    return async (request, next) => {
      if (!isList(request)) return next()
      const url = new URL(request.url)
      const limit = Number(url.searchParams.get('limit') ?? 30)
      const offset = Number(url.searchParams.get('offset') ?? 0)
      url.searchParams.set('limit', '1000')
      url.searchParams.set('offset', '0')
      const response = await next({ ...request, url: url.href })
      if (response.status !== 200) return response
      const { paging: _, ...body } = jsonOf(response)
      const key = Object.keys(body)[0] ?? ''
      const all = body[key] as Thing[]
      const { items, paging, beside } = page({ items: all, limit, offset, sent: sent++ })
      return answer(200, { [key]: items, paging: { limit, offset, total: all.length, ...paging }, ...beside })
    }
  }

/** Creates a service that differs only in its lists. */
export const lister = (
  name: string,
  page: (asked: Listing) => ListPage,
  facts: Pick<FakeService, 'isReadable' | 'isUnsettled'> = {},
): FakeService => ({ name, make: listing(page) as (setting: Setting) => Exchange, ...facts })

export const readable = { isReadable: true } as const
/** Mark of a service in which three passes may miss items. */
const unsettled = { isUnsettled: true } as const

/** Returns true for a list of one page, which no other page can contradict. */
export const isShort = ({ items }: Listing) => items.length <= cap

const reversed = <T>(items: readonly T[]) => [...items].reverse()
const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  items
    .map((item, i) => ({ item, rank: ((i + 1) * 7919 * (seed + 3)) % 101 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
const withItems = (asked: Listing, items: readonly Thing[]) => usual({ ...asked, items })

/** Services whose pages come from different orders or states of a list. */
export const orders: readonly FakeService[] = [
  lister('lists in an order that depends on the limit', (asked) =>
    withItems(asked, asked.limit % 2 === 0 ? asked.items : reversed(asked.items)),
  ),
  lister(
    'lists in another order after each request',
    (asked) => withItems(asked, shuffled(asked.items, asked.sent)),
    unsettled,
  ),
  lister(
    'lists from two alternating replicas with opposite orders',
    (asked) => withItems(asked, asked.sent % 2 === 0 ? asked.items : reversed(asked.items)),
    unsettled,
  ),
  lister('lists the second page from a replica with the opposite order', (asked) =>
    withItems(asked, asked.sent === 1 ? reversed(asked.items) : asked.items),
  ),
  lister(
    'sorts each page except the first in reverse order',
    (asked) => {
      const { items } = usual(asked)
      return { items: asked.offset === 0 ? items : reversed(items) }
    },
    readable,
  ),
  lister('lists every second page from a replica without the newest item', (asked) =>
    withItems(asked, Math.floor(asked.offset / cap) % 2 === 0 ? asked.items : asked.items.slice(1)),
  ),
  lister('lists from a replica without the oldest item after the first request', (asked) => {
    return withItems(asked, asked.sent === 0 || isShort(asked) ? asked.items : asked.items.slice(0, -1))
  }),
  lister('swaps the items at the page boundaries', (asked) => {
    const items = [...asked.items]
    for (let i = cap; i < items.length; i += cap)
      if (asked.offset === i) [items[i - 1], items[i]] = [items[i] as Thing, items[i - 1] as Thing]
    return withItems(asked, items)
  }),
  lister('moves the first item to the end after the first page', (asked) =>
    withItems(asked, asked.sent === 0 ? asked.items : [...asked.items.slice(1), ...asked.items.slice(0, 1)]),
  ),
  lister('moves the last item to the top after the first page', (asked) =>
    withItems(
      asked,
      asked.sent === 0 ? asked.items : [...asked.items.slice(-1), ...asked.items.slice(0, -1)],
    ),
  ),
]

/** Services whose pages repeat, omit or reorder items. */
export const joins: readonly FakeService[] = [
  lister('repeats each third item, as a join does, and counts the rows', (asked) => {
    const rows = asked.items.flatMap((item, i) => (i % 3 === 0 ? [item, item] : [item]))
    return { ...withItems(asked, rows), paging: { total: rows.length } }
  }),
  lister(
    'repeats each third item, as a join does, and counts the items',
    (asked) =>
      withItems(
        asked,
        asked.items.flatMap((item, i) => (i % 3 === 0 ? [item, item] : [item])),
      ),
    readable,
  ),
  lister('omits the fourth item of each page', (asked) => ({
    items: usual(asked).items.filter((_, i) => i !== 3),
  })),
  lister('pins the first item to the top of each page', (asked) => ({
    items: [asked.items[0], ...usual(asked).items.filter((item) => item !== asked.items[0])].filter(
      (item) => item,
    ),
  })),
  lister('adds the last item to the end of each page', (asked) => ({
    items: [...usual(asked).items.filter((item) => item !== asked.items.at(-1)), ...asked.items.slice(-1)],
  })),
  lister('sends one item fewer than the limit', (asked) => ({
    items: asked.items.slice(asked.offset, asked.offset + Math.max(1, Math.min(asked.limit, cap + 1) - 1)),
  })),
  lister(
    'sends one item more than the limit, as a sign of another page',
    (asked) => ({
      items: asked.items.slice(asked.offset, asked.offset + Math.min(asked.limit, cap) + 1),
    }),
    readable,
  ),
  lister(
    'counts offsets from 1',
    (asked) => usual({ ...asked, offset: Math.max(0, asked.offset - 1) }),
    readable,
  ),
  lister(
    'overlaps its pages by two items',
    (asked) => usual({ ...asked, offset: Math.max(0, asked.offset - 2) }),
    readable,
  ),
  lister(
    'sends each page in the opposite order',
    (asked) => ({ items: reversed(usual(asked).items) }),
    readable,
  ),
]
