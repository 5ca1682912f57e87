import { TransportError, type WireRequest, type WireResponse } from '../../../../src/api/wire.ts'
import { answer, type Exchange, type FakeService, isWrite, jsonOf, pathOf, service } from '../fake.ts'
import type { Proof } from '../proof.ts'

const page = { 'content-type': 'text/html' }

/** Creates a service that acknowledges writes and cannot be read afterwards. */
function unreadable(name: string, read: () => WireResponse): FakeService {
  return {
    name: `acknowledges writes, and then responds with ${name} to reads`,
    answers: 'acknowledges',
    reads: 'never',
    make(): Exchange {
      let isOver = false
      return async (request, next) => {
        if (!isWrite(request)) return isOver ? read() : next()
        isOver = true
        const done = await next()
        return done.status === 200 ? answer(202, { id: 'job-7', state: 'queued' }) : done
      }
    },
  }
}

const unreadables: readonly FakeService[] = [
  unreadable('401', () => answer(401, { error: 'expired' })),
  unreadable('405', () => answer(405, { error: 'write only' })),
  unreadable('406', () => answer(406, '')),
  unreadable('451', () => answer(451, '')),
  unreadable('500 as a page', () => answer(500, '<h1>Server Error</h1>', page)),
  unreadable('504', () => answer(504, '<h1>504</h1>', page)),
  unreadable('a page', () => answer(200, '<h1>Sign in</h1>', page)),
  unreadable('an empty object', () => answer(200, {})),
  unreadable('an empty list', () => answer(200, '[]')),
  unreadable('a closed connection', () => {
    throw new TransportError('the connection was closed before the response was complete', true)
  }),
]

/** Creates a proxy that repeats the first response for equal bodies, whatever the path. */
function replay(executes: boolean, proof: Proof): FakeService {
  return {
    name: `repeats the first response for equal bodies, and ${executes ? 'executes' : 'does not execute'} them`,
    ...proof,
    make(): Exchange {
      const kept = new Map<string, WireResponse>()
      return async (request, next) => {
        if (!isWrite(request) || !request.body) return next()
        const known = kept.get(request.body)
        if (known && !executes) return known
        const response = await next()
        if (!known) kept.set(request.body, response)
        return known ?? response
      }
    },
  }
}

const halfLost: FakeService = {
  name: 'acknowledges writes and executes every other one',
  answers: 'acknowledges',
  make(): Exchange {
    let writes = 0
    return async (request, next) => {
      if (!isWrite(request)) return next()
      if (writes++ % 2 === 1) return answer(200, { acknowledged: true })
      const done = await next()
      return done.status === 200 ? answer(200, { acknowledged: true }) : done
    }
  },
}

const isPages = (request: WireRequest) => pathOf(request).endsWith('/create_many')

export const proxies: readonly FakeService[] = [
  ...unreadables,
  // A client cannot read messages, so a repeated response also counts as success.
  replay(true, { answers: { message: ['shows', 'claims'] } }),
  replay(false, {
    // Only the first response shows the item of its request.
    answers: {
      change: ['shows', 'garbles'],
      member: ['shows', 'garbles'],
      message: 'claims',
      pages: 'claims',
    },
  }),
  halfLost,
  service('creates the first page only', async (request, next) =>
    isWrite(request) && isPages(request)
      ? next({ ...request, body: JSON.stringify(jsonOf(request).slice(0, 1)) })
      : next(),
  ),
  service(
    'creates pages and shows the first one only',
    async (request, next) => {
      const response = await next()
      if (!isWrite(request) || !isPages(request) || response.status !== 200) return response
      return answer(200, { pages: jsonOf(response).pages.slice(0, 1) })
    },
    { answers: { pages: 'garbles' } },
  ),
  {
    name: 'responds with 503 to the first read after each write',
    answers: 'acknowledges',
    make(): Exchange {
      let isFirst = false
      return async (request, next) => {
        if (isWrite(request)) {
          isFirst = true
          const done = await next()
          return done.status === 200 ? answer(205, '') : done
        }
        if (!isFirst) return next()
        isFirst = false
        return answer(503, '<h1>503</h1>', page)
      }
    },
  },
]
