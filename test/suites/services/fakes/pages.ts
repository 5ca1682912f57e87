import {
  asAsked,
  type Exchange,
  edited,
  type FakeService,
  isWrite,
  limitOf,
  lists,
  pathOf,
  service,
  type Thing,
  total,
} from '../fake.ts'

const totals = [
  service(
    'shows a total that is too low',
    total((real) => Math.max(1, real - 5)),
  ),
  service(
    'shows a total that is too high',
    total((real) => real + 5),
  ),
  service(
    'shows the total 0',
    total(() => 0),
  ),
  service(
    'shows the number of items in the page as the total',
    total((_, page) => page),
  ),
  service(
    'shows the total as text',
    total((real) => String(real)),
  ),
  service(
    'shows a negative total',
    total(() => -1),
  ),
  service(
    'shows the total null',
    total(() => null),
  ),
  service(
    'shows no total',
    total(() => undefined),
  ),
  service(
    'shows a total with a fraction',
    total((real) => real + 0.5),
  ),
  service(
    'sends a total that is not a number',
    total(() => 'many'),
  ),
  service(
    'shows a total of one page of 10',
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, 10), offset }),
      (body) => (body.paging ? { ...body, paging: { ...body.paging, total: 10 } } : body),
    ),
  ),
  service(
    'shows no paging',
    lists(asAsked, ({ paging: _, ...body }) => body),
  ),
  service(
    'shows the paging null',
    lists(asAsked, (body) => ({ ...body, paging: null })),
  ),
]

const caps = [1, 3, 5, 10, 20].flatMap((most) => [
  service(
    `caps pages at ${most}`,
    lists(({ limit, offset }) => ({ limit: Math.min(limit, most), offset })),
  ),
  service(
    `caps pages at ${most} and shows no paging`,
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, most), offset }),
      ({ paging: _, ...body }) => body,
    ),
  ),
])

const pages = [
  service(
    'ignores limits',
    lists(({ offset }) => ({ limit: 1000, offset })),
  ),
  service(
    'ignores limits and offsets',
    lists(() => ({ limit: 1000, offset: 0 })),
  ),
  service(
    'ignores offsets, with pages of 10',
    lists(({ limit }) => ({ limit: Math.min(limit, 10), offset: 0 })),
  ),
  service(
    'ignores offsets, with pages of 10 and no paging',
    lists(
      ({ limit }) => ({ limit: Math.min(limit, 10), offset: 0 }),
      ({ paging: _, ...body }) => body,
    ),
  ),
  service(
    'rounds offsets down to tens, with pages of 10',
    lists(({ limit, offset }) => ({ limit: Math.min(limit, 10), offset: offset - (offset % 10) })),
  ),
  service(
    'sends the last item of each page again, with pages of 10',
    lists(({ limit, offset }) => ({ limit: Math.min(limit, 10), offset: Math.max(0, offset - 1) })),
  ),
  service(
    'omits one item between pages of 10',
    lists(({ limit, offset }) => ({ limit: Math.min(limit, 10), offset: offset === 0 ? 0 : offset + 1 })),
  ),
  service(
    'sends an empty page in the middle, with pages of 5',
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, 5), offset }),
      (body, key, { offset }) => (offset >= 5 && offset < 10 ? { ...body, [key]: [] } : body),
    ),
  ),
  service(
    'sends nothing after the first page of 5',
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, 5), offset }),
      (body, key, { offset }) => (offset > 0 ? { ...body, [key]: [] } : body),
    ),
  ),
  service(
    'sends null after the first page of 5',
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, 5), offset }),
      (body, key, { offset }) => (offset > 0 ? { ...body, [key]: null } : body),
    ),
  ),
  service(
    'shrinks its pages',
    lists(({ limit, offset }) => ({
      limit: Math.max(1, Math.min(limit, 8) - Math.floor(offset / 4)),
      offset,
    })),
  ),
  service(
    'counts offsets in pages',
    lists(({ limit, offset }) => ({ limit: Math.min(limit, 10), offset: offset * 10 })),
  ),
  {
    name: 'loses a room between two pages of 10',
    make: (): Exchange => {
      let seen = 0
      return async (request, next) => {
        if (pathOf(request) !== '/rooms' || isWrite(request)) return next()
        const url = new URL(request.url)
        const offset = Number(url.searchParams.get('offset') ?? 0)
        url.searchParams.set('limit', String(Math.min(limitOf(request) || 30, 10)))
        // Only the first request with an offset shows the loss, which moves the later items up by one.
        const gone = offset > 0 && seen++ === 0
        if (gone) url.searchParams.set('offset', String(offset + 1))
        return edited(await next({ ...request, url: url.href }), (body) =>
          gone ? { ...body, paging: { ...body.paging, total: body.paging.total - 1 } } : body,
        )
      }
    },
  },
  service('sends null instead of empty lists', async (_, next) =>
    edited(await next(), (body) =>
      Object.fromEntries(
        Object.entries(body).map(([key, value]) => [
          key,
          Array.isArray(value) && value.length === 0 ? null : value,
        ]),
      ),
    ),
  ),
  service(
    'sends a null among the items of lists',
    lists(asAsked, (body, key) =>
      Array.isArray(body[key]) ? { ...body, [key]: [...body[key], null] } : body,
    ),
  ),
  service(
    'sends each item of lists twice',
    lists(asAsked, (body, key) => ({ ...body, [key]: body[key].flatMap((item: Thing) => [item, item]) })),
  ),
  service(
    'calls lists “items”',
    lists(asAsked, ({ paging, ...body }, key) => ({ items: body[key], paging })),
  ),
  service(
    'sends lists without an object around them',
    lists(asAsked, (body, key) => body[key]),
  ),
]

/** Services with unusual lists. */
export const paging: readonly FakeService[] = [...totals, ...caps, ...pages]
