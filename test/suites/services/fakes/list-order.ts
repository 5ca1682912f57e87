import { answer, type Exchange, type FakeService, isList, jsonOf, type Setting, type Thing } from '../fake.ts'

/** What a service lists for a request: all its items, and what is asked for. */
export interface Listing {
  items: readonly Thing[]
  limit: number
  offset: number
  /** How many lists the service has sent before. */
  sent: number
}

/** A page, and the fields beside the total of its paging. */
export interface Listed {
  items: readonly unknown[]
  paging?: object
  /** Fields beside the items. */
  beside?: object
}

/** The most items of a page. */
export const cap = 5

/** The page of a service that works. */
export const usual = ({ items, limit, offset }: Listing): Listed => ({
  items: items.slice(offset, offset + Math.min(limit, cap)),
})

/** Lists are paged in another way. */
export const listing =
  (page: (asked: Listing) => Listed): (() => Exchange) =>
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

/** A service whose lists differ, and which changes nothing else. */
export const lister = (
  name: string,
  page: (asked: Listing) => Listed,
  facts: Pick<FakeService, 'isReadable' | 'isUnsettled'> = {},
): FakeService => ({ name, make: listing(page) as (setting: Setting) => Exchange, ...facts })

export const readable = { isReadable: true } as const
/** Whether three passes show all items depends on the requests before them. */
const unsettled = { isUnsettled: true } as const

/** Returns true for a list of one page, which no other page can contradict. */
export const isShort = ({ items }: Listing) => items.length <= cap

const reversed = <T>(items: readonly T[]) => [...items].reverse()
/** The items in an order that a number chooses. */
const shuffled = <T>(items: readonly T[], seed: number): T[] =>
  items
    .map((item, i) => ({ item, rank: ((i + 1) * 7919 * (seed + 3)) % 101 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item)
const withItems = (asked: Listing, items: readonly Thing[]) => usual({ ...asked, items })

/** Services whose order is not the same in each request, as without ORDER BY, with ties and with replicas. */
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
    'lists by two replicas with opposite orders, taking turns',
    (asked) => withItems(asked, asked.sent % 2 === 0 ? asked.items : reversed(asked.items)),
    unsettled,
  ),
  lister('lists the second page by a replica with the opposite order', (asked) =>
    withItems(asked, asked.sent === 1 ? reversed(asked.items) : asked.items),
  ),
  lister(
    'breaks ties by the page: each page but the first is sorted the other way',
    (asked) => {
      const { items } = usual(asked)
      return { items: asked.offset === 0 ? items : reversed(items) }
    },
    readable,
  ),
  lister('lists every second page by a replica without the newest item', (asked) =>
    withItems(asked, Math.floor(asked.offset / cap) % 2 === 0 ? asked.items : asked.items.slice(1)),
  ),
  lister('lists by a replica without the oldest item after the first request', (asked) => {
    return withItems(asked, asked.sent === 0 || isShort(asked) ? asked.items : asked.items.slice(0, -1))
  }),
  lister('swaps the items at the page boundaries of a reading', (asked) => {
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

/** Services that join tables, filter after paging, or pin items. */
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
  lister('leaves out every fourth item of a page after it was cut', (asked) => ({
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
    'sends one item more than the limit, which tells that there are more',
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
