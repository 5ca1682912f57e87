import { errorShapes } from '../../helpers/other-service.ts'
import {
  answer,
  asAsked,
  bytes,
  type Exchange,
  edited,
  encoded,
  type FakeService,
  failures,
  instead,
  isList,
  isWrite,
  itemsShow,
  limitOf,
  lists,
  listsShow,
  pathOf,
  reworded,
  service,
  type Thing,
  total,
  writesAnswer,
  writesSay,
  writesShow,
} from './fake.ts'

const html = '<!doctype html><html><body><h1>Sign in</h1></body></html>'
const isHtml = { 'content-type': 'text/html' }
const isText = { 'content-type': 'text/plain' }

/** Bodies of a 2xx response that do not show a change. */
const emptyWords: readonly (readonly [name: string, body: unknown, headers?: Record<string, string>])[] = [
  ['HTML', html, isHtml],
  ['HTML that is labelled JSON', html],
  ['plain text', 'OK', isText],
  ['null', 'null'],
  ['an empty list', '[]'],
  ['a list', '[{}]'],
  ['a text in JSON', '"done"'],
  ['a number', '42'],
  ['true', 'true'],
  ['false', 'false'],
  ['a cut body', '{"room":{"id":"0123'],
  ['{"error":"no"}', { error: 'no' }],
  ['{"error":{"message":"no"}}', { error: { message: 'no' } }],
  ['{"errors":["no"]}', { errors: ['no'] }],
  ['{"success":false}', { success: false }],
  ['{"ok":false}', { ok: false }],
  ['{"ok":false} with a message', { ok: false, message: 'no' }],
]

/** Bodies by which services say that a write is done without showing the resource. */
const yeses: readonly (readonly [name: string, body: unknown])[] = [
  ['{}', {}],
  ['{"ok":true}', { ok: true }],
  ['{"success":true}', { success: true }],
  ['no body', ''],
]

const idle = emptyWords.map(([name, body, headers]) =>
  service(`answers ${name} to writes without executing them`, writesAnswer(false, 200, body, headers)),
)
const executing = [...emptyWords, ...yeses].map(([name, body, headers]) =>
  service(`executes writes and answers ${name}`, writesAnswer(true, 200, body, headers)),
)
const lying = yeses.map(([name, body]) =>
  service(`answers ${name} to writes without executing them`, writesAnswer(false, 200, body)),
)
const statuses = [
  ...[201, 202, 204].map((status) =>
    service(`executes writes and answers ${status} without a body`, writesAnswer(true, status, '')),
  ),
  ...[301, 302, 303, 307, 308].map((status) =>
    service(
      `redirects writes with ${status}`,
      writesAnswer(false, status, '', { location: 'https://login.test/' }),
    ),
  ),
  ...[400, 401, 402, 404, 405, 409, 410, 418, 422, 501].map((status) =>
    service(`answers ${status} to writes`, writesAnswer(false, status, { error: 'no' })),
  ),
  service(
    'executes writes and answers 500 with JSON',
    writesAnswer(true, 500, { error: { message: 'late' } }),
  ),
  service('executes writes and answers 502', writesAnswer(true, 502, html, isHtml)),
]

const contradictions = [
  service(
    'does not execute writes and returns the unchanged resource',
    writesShow(false, (item) => item),
  ),
  service(
    'executes writes and shows another ID',
    writesShow(true, (item) => ({ ...item, id: 'another', user_id: 'another' })),
  ),
  service(
    'does not execute writes and shows another ID',
    writesShow(false, (item) => ({ ...item, id: 'another', user_id: 'another' })),
  ),
  service(
    'does not execute writes and shows another role',
    writesShow(false, (item) => ({ ...item, type: item['type'] === 'host' ? 'guest' : 'host' })),
  ),
  service(
    'executes writes and shows is_blocked false',
    writesShow(true, (item) => ('is_blocked' in item ? { ...item, is_blocked: false } : item)),
  ),
  service(
    'executes writes and shows terminated_at null',
    writesShow(true, (item) => ('terminated_at' in item ? { ...item, terminated_at: null } : item)),
  ),
  service(
    'executes writes and shows no ID',
    writesShow(true, ({ id: _, user_id: __, ...item }) => item),
  ),
  service(
    'executes writes and shows a null ID',
    writesShow(true, (item) => ({ ...item, id: null })),
  ),
  service(
    'executes writes and shows null',
    writesShow(true, () => null),
  ),
  service(
    'executes writes and trims names',
    writesShow(true, (item) => ({ ...item, name: String(item['name']).trim().toUpperCase() })),
  ),
  service(
    'adds an empty list of errors to its responses',
    writesSay((text) => text.replace(/}$/, ',"errors":[],"error":null}')),
  ),
  service(
    'executes writes and cuts the body',
    writesSay((text) => text.slice(0, -5)),
  ),
  service(
    'executes writes and adds text after the body',
    writesSay((text) => `${text}<br>`),
  ),
]

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
    'leaves one item out between pages of 10',
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
    'sends nothing behind the first page of 5',
    lists(
      ({ limit, offset }) => ({ limit: Math.min(limit, 5), offset }),
      (body, key, { offset }) => (offset > 0 ? { ...body, [key]: [] } : body),
    ),
  ),
  service(
    'sends null behind the first page of 5',
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
        // Once, behind the first page: all later items move up by one.
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

const refusals = [
  ...[10, 20].flatMap((above) =>
    [400, 413, 422, 500].map((status) =>
      service(
        `refuses limits above ${above} with ${status}`,
        instead(
          (request) => isList(request) && limitOf(request) > above,
          () => answer(status, { error: { message: `limit must be at most ${above}` } }),
        ),
      ),
    ),
  ),
  ...[403, 500, 503].map((status) => ({
    name: `answers ${status} about the members of one room`,
    make: (): Exchange => {
      let first: string | undefined
      return async (request, next) => {
        const path = pathOf(request)
        if (request.method !== 'GET' || !path.endsWith('/members')) return next()
        first ??= path
        return path === first ? answer(status, { error: { message: 'no' } }) : next()
      }
    },
  })),
  service(
    'answers 403 about all sessions',
    instead(
      (request) => pathOf(request).endsWith('/sessions'),
      () => answer(403, { error: 'no' }),
    ),
  ),
  service(
    'answers 404 as HTML about everything',
    instead(
      () => true,
      () => answer(404, html, isHtml),
    ),
  ),
  service(
    'answers 404 as JSON about everything',
    instead(
      () => true,
      () => answer(404, { error: { code: 'not_found', message: 'not found' } }),
    ),
  ),
  service(
    'answers 400 with not_found about everything',
    instead(
      () => true,
      () => answer(400, { error: { code: 'not_found', message: 'no such operation' } }),
    ),
  ),
  service(
    'answers 400 about everything',
    instead(
      () => true,
      () => answer(400, { error: 'bad' }),
    ),
  ),
  service(
    'answers 200 with HTML about everything',
    instead(
      () => true,
      () => answer(200, html, isHtml),
    ),
  ),
  service(
    'answers 200 with {} about everything',
    instead(
      () => true,
      () => answer(200, {}),
    ),
  ),
  service('answers 404 to deletions and executes them', async (request, next) => {
    if (request.method !== 'DELETE') return next()
    await next()
    return answer(404, { error: { message: 'not found' } })
  }),
  service(
    'answers 404 to deletions without executing them',
    instead(
      ({ method }) => method === 'DELETE',
      () => answer(404, { error: { message: 'not found' } }),
    ),
  ),
  ...Object.entries(errorShapes).map(([name, shape]) =>
    service(
      `words its failures as ${name}`,
      failures((given) => {
        const { type, body } = shape('no such thing')
        return answer(given.status, body, { 'content-type': type })
      }),
    ),
  ),
]

const values = [
  service(
    'sends types in capitals',
    itemsShow((item) => ({ ...item, ...(item['type'] && { type: String(item['type']).toUpperCase() }) })),
  ),
  service(
    'sends booleans as 0 and 1',
    itemsShow((item) => replaced(item, (value) => (typeof value === 'boolean' ? Number(value) : value))),
  ),
  service(
    'sends booleans as text',
    itemsShow((item) => replaced(item, (value) => (typeof value === 'boolean' ? String(value) : value))),
  ),
  service(
    'sends times without a zone',
    itemsShow((item) => replaced(item, (value) => (isTime(value) ? String(value).slice(0, -1) : value))),
  ),
  service(
    'sends times in seconds since 1970',
    itemsShow((item) => replaced(item, (value) => (isTime(value) ? Date.parse(value) / 1000 : value))),
  ),
  service(
    'sends times in milliseconds since 1970',
    itemsShow((item) => replaced(item, (value) => (isTime(value) ? Date.parse(value) : value))),
  ),
  ...['0001-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z', '', 0, '0000-00-00 00:00:00'].map((none) =>
    service(
      `sends ${JSON.stringify(none)} for no time`,
      itemsShow((item) =>
        Object.fromEntries(
          Object.entries(item).map(([name, value]) => [
            name,
            name.endsWith('_at') && value === null ? none : value,
          ]),
        ),
      ),
    ),
  ),
  service(
    'leaves fields that are null out',
    itemsShow((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))),
  ),
  service(
    'sends numbers as text',
    itemsShow((item) => replaced(item, (value) => (typeof value === 'number' ? String(value) : value))),
  ),
  service(
    'shows only id, type and name in lists',
    listsShow((item) =>
      Object.fromEntries(
        Object.entries(item).filter(([name]) => ['id', 'type', 'name', 'user_id'].includes(name)),
      ),
    ),
  ),
  service(
    'shows no terminated_at',
    itemsShow(({ terminated_at: _, ...item }) => item),
  ),
  service(
    'shows no is_blocked',
    itemsShow(({ is_blocked: _, ...item }) => item),
  ),
  service(
    'shows no room_id',
    itemsShow(({ room_id: _, ...item }) => item),
  ),
  service(
    'adds unlisted fields',
    itemsShow((item) => ({ ...item, extra: { deep: [1, 'x'] } })),
  ),
]

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)
}
const replaced = (item: Thing, change: (value: unknown) => unknown) =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, change(value)]))

const bodies = [
  ...(['gzip', 'br', 'deflate'] as const).map((name) => service(`sends bodies in ${name}`, encoded(name))),
  service('cuts bodies of lists', async (request, next) =>
    isList(request) ? reworded(await next(), (text) => text.slice(0, text.length / 2)) : next(),
  ),
  service('sends blanks around bodies', async (_, next) =>
    reworded(await next(), (text) => `\n  ${text} \n\n`),
  ),
  service('sends a byte order mark before bodies', async (_, next) =>
    reworded(await next(), (text) => `\ufeff${text}`),
  ),
  service('sends keys twice, the wrong value first', async (_, next) =>
    reworded(await next(), (text) => text.replaceAll('"name":', '"name":"first","name":')),
  ),
  service('labels JSON as text', async (_, next) => {
    const response = await next()
    return bytes(response, response.body, isText)
  }),
  service('sends no content type', async (_, next) => {
    const { headers, ...response } = await next()
    const { 'content-type': _type, ...rest } = headers
    return { ...response, headers: rest }
  }),
  service('answers 201 to everything', async (_, next) => {
    const response = await next()
    return response.status === 200 ? { ...response, status: 201 } : response
  }),
]

/** A service without a difference, which shows that the commands succeed otherwise. */
export const plain = service('is the embedded service', (_, next) => next())

/** Every fake service. */
export const services: readonly FakeService[] = [
  plain,
  ...idle,
  ...lying,
  ...executing,
  ...statuses,
  ...contradictions,
  ...totals,
  ...caps,
  ...pages,
  ...refusals,
  ...values,
  ...bodies,
  { ...service('has numbers for IDs', (_, next) => next()), ids: 'number' },
  { ...service('has UUIDs for IDs', (_, next) => next()), ids: 'uuid' },
]
