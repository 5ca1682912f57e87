import {
  answer,
  type Exchange,
  type FakeService,
  isWrite,
  jsonOf,
  pathOf,
  rewrapped,
  service,
  type Thing,
  writesAnswer,
} from '../fake.ts'
import { bodies, envelopes } from './bodies.ts'

const answering = bodies.flatMap(({ name, body, status = 200, headers, answers = 'acknowledges' }) =>
  [true, false].map((executes) =>
    service(
      `${executes ? 'executes writes and responds with' : 'does not execute writes and responds with'} ${name}`,
      writesAnswer(executes, status, body, headers),
      { answers },
    ),
  ),
)

// Responses with messages and created pages are not wrapped.
const enveloping = envelopes.map(([name, wrap, answers = 'shows']) =>
  service(`executes writes and sends the resource ${name}`, rewrapped(wrap), {
    answers: { message: 'shows', pages: 'shows', other: answers },
  }),
)

/** Returns the ID in the path, or, for a POST request, the ID of a missing resource. */
const idIn = (request: Parameters<Exchange>[0]) =>
  request.method === 'POST' ? '0123456789abcdef01234567' : pathOf(request).split('/').at(-1)

/** Responds to writes from the request alone, without executing them. */
const echo = (wrap: (body: Thing, id: string | undefined) => unknown): Exchange => {
  return async (request, next) => {
    if (!isWrite(request)) return next()
    const body = request.body ? jsonOf(request) : {}
    return Array.isArray(body) ? answer(200, {}) : answer(200, wrap(body, idIn(request)))
  }
}

const echoing: readonly FakeService[] = [
  service(
    'does not execute writes and echoes the body',
    echo((body) => body),
    // The API responds to a message with its text, and to a new user with the requested fields.
    { answers: { message: 'claims', user: 'claims', pages: 'acknowledges', other: 'garbles' } },
  ),
  service(
    'does not execute writes and echoes the request',
    echo((json) => ({ args: {}, data: JSON.stringify(json), json, url: 'https://meet.test/v1/' })),
    { answers: { message: 'acknowledges', pages: 'acknowledges', other: 'garbles' } },
  ),
  service(
    'does not execute writes and responds with the ID only',
    echo((_, id) => ({ ok: true, id, rev: '1-967a00df' })),
    { answers: { room: 'garbles', user: 'garbles', delete: ['claims', 'acknowledges'], other: 'names' } },
  ),
  service(
    'does not execute deletions and responds with “deleted”',
    async (request, next) =>
      request.method === 'DELETE'
        ? answer(200, { id: idIn(request), object: 'room', deleted: true })
        : next(),
    // The API responds to a deletion with the resource.
    { answers: { delete: ['claims', 'acknowledges'] } },
  ),
  service(
    'schedules deletions instead of executing them',
    async (request, next) => {
      if (request.method !== 'DELETE') return next()
      const { room, user } = jsonOf(await next({ ...request, method: 'GET' }))
      const later = { delete_after: '2026-02-01T00:00:00Z' }
      return answer(200, room ? { room: { ...room, ...later } } : { user: { ...user, ...later } })
    },
    { answers: { delete: 'claims' } },
  ),
]

export const frameworks: readonly FakeService[] = [...answering, ...enveloping, ...echoing]
