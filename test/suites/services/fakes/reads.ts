import { errorShapes } from '../../../helpers/other-service.ts'
import {
  answer,
  bytes,
  type Exchange,
  encoded,
  type FakeService,
  failures,
  instead,
  isList,
  itemsShow,
  limitOf,
  listsShow,
  pathOf,
  reworded,
  service,
  type Thing,
} from '../fake.ts'
import { acknowledging, denying, garbling, html, isHtml, isText } from './common.ts'

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
    name: `responds with ${status} to requests for the members of one room`,
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
    'responds with 403 to requests for sessions',
    instead(
      (request) => pathOf(request).endsWith('/sessions'),
      () => answer(403, { error: 'no' }),
    ),
  ),
  service(
    'responds with 404 as HTML to every request',
    instead(
      () => true,
      () => answer(404, html, isHtml),
    ),
    { ...denying, reads: 'never' },
  ),
  service(
    'responds with 404 as JSON to every request',
    instead(
      () => true,
      () => answer(404, { error: { code: 'not_found', message: 'not found' } }),
    ),
    { ...denying, reads: 'never' },
  ),
  service(
    'responds with 400 and not_found to every request',
    instead(
      () => true,
      () => answer(400, { error: { code: 'not_found', message: 'no such operation' } }),
    ),
    { ...denying, reads: 'never' },
  ),
  service(
    'responds with 400 to every request',
    instead(
      () => true,
      () => answer(400, { error: 'bad' }),
    ),
    { ...denying, reads: 'never' },
  ),
  service(
    'responds with 200 and HTML to every request',
    instead(
      () => true,
      () => answer(200, html, isHtml),
    ),
    { ...garbling, reads: 'never' },
  ),
  service(
    'responds with 200 and {} to every request',
    instead(
      () => true,
      () => answer(200, {}),
    ),
    { ...acknowledging, reads: 'never' },
  ),
  service(
    'responds with 404 to deletions and executes them',
    async (request, next) => {
      if (request.method !== 'DELETE') return next()
      await next()
      return answer(404, { error: { message: 'not found' } })
    },
    // With --ignore-not-found, a 404 response means success.
    { answers: { delete: ['denies', 'claims'] } },
  ),
  service(
    'responds with 404 to deletions without executing them',
    instead(
      ({ method }) => method === 'DELETE',
      () => answer(404, { error: { message: 'not found' } }),
    ),
    { answers: { delete: ['denies', 'claims'] } },
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
    'omits null fields',
    itemsShow((item) => Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null))),
    { hidesNull: true },
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
    { hides: ['is_terminated'] },
  ),
  service(
    'shows no is_blocked',
    itemsShow(({ is_blocked: _, ...item }) => item),
    { hides: ['is_blocked'] },
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
  ...(['gzip', 'br', 'deflate'] as const).map((name) =>
    // The network layer has decoded each body once, so a body that is still encoded was encoded twice.
    service(`sends bodies in ${name}`, encoded(name), { ...garbling, reads: 'never' }),
  ),
  service('cuts bodies of lists', async (request, next) =>
    isList(request) ? reworded(await next(), (text) => text.slice(0, text.length / 2)) : next(),
  ),
  service('sends white space around bodies', async (_, next) =>
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
  service('responds with 201 to every request', async (_, next) => {
    const response = await next()
    return response.status === 200 ? { ...response, status: 201 } : response
  }),
]

/** Services with unusual refusals, values or bodies. */
export const reading: readonly FakeService[] = [...refusals, ...values, ...bodies]
