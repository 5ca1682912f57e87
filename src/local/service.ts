import { timingSafeEqual } from 'node:crypto'
import { TrieRouter } from 'hono/router/trie-router'
import type * as z from 'zod'
import { isTooDeep, maxDepth } from '../api/depth.ts'
import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { describeIssue } from '../api/issue.ts'
import type { Operation } from '../api/operation.ts'
import type { WireRequest, WireResponse } from '../api/wire.ts'
import { Fault, invalid, notFound, storageFault, unauthorized } from './faults.ts'
import type { Desk } from './handlers/handler.ts'
import { handle } from './handlers/index.ts'
import { createIds } from './ids.ts'
import { type Live, nobodyLive } from './live/live.ts'
import type { Store } from './store/store.ts'
import { requireStorable } from './values.ts'

/** An answer whose bytes are only made when they are asked for. */
export interface TextResponse extends WireResponse {
  readonly text: string
}

export type Service = (request: WireRequest) => Promise<TextResponse>

const prefix = '/v1'

export interface ServiceOptions {
  store: Store
  /** The key that every request must carry (section 5). */
  apiKey: string
  /** Milliseconds since 1970. */
  now(): number
  live?: Live
}

/** What handlers work with. */
export function createDesk({ store, now, live }: Pick<Desk, 'store' | 'now' | 'live'>): Desk {
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return { store, now, ...createIds(now), live, applicationId: row?.application_id ?? '' }
}

/** The whole service as a function from request to response: authorization, routing, validation, behaviour. */
export function createService({ store, apiKey, now, live = nobodyLive }: ServiceOptions): Service {
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const desk = createDesk({ store, now, live })
  const expected = Buffer.from(`Bearer ${apiKey}`)

  async function answer(request: WireRequest): Promise<unknown> {
    const url = parseUrl(request.url)
    if (!isKey(request.headers['authorization'], expected)) throw unauthorized()
    const [[match]] = router.match(request.method, url.pathname)
    if (!match) throw notFound(`operation: ${request.method} ${url.pathname}`)
    const [name, params] = match
    const endpoint: Endpoint = endpoints[name]
    const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
    // A request that carries only ids needs no validation, and so does not wait for the schemas to load.
    const operation: Partial<Operation> =
      hasBody || url.search ? (await import('../api/operations.ts')).operations[name] : {}
    const input = {
      params: decodeParams(params as Record<string, string>),
      query: operation.query ? read(operation.query, Object.fromEntries(url.searchParams)) : {},
      body: operation.body && read(operation.body, parseBody(request)),
    }
    const work = () => handle(name, desk, input)
    return endpoint.method === 'GET' ? work() : store.write(work)
  }

  return async (request) => {
    try {
      return respond(200, await answer(request))
    } catch (error) {
      const fault = error instanceof Fault ? error : storageFault(error)
      if (!fault) throw error
      const { status, code, message } = fault
      return respond(status, { error: { code, message } })
    }
  }
}

/** Compares in constant time: how long it takes reveals only the length of the key. */
function isKey(header: string | undefined, expected: Buffer): boolean {
  const given = Buffer.from(header ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

function parseUrl(url: string): URL {
  try {
    // A request line holds a path: `//host` in it is one, not a host.
    return new URL(url.startsWith('/') ? `http://localhost${url}` : url)
  } catch {
    throw invalid('the request target is not a URL')
  }
}

function decodeParams(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw invalid('the path is not valid percent-encoding')
  }
}

function parseBody({ headers, body }: WireRequest): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw invalid('the request needs a body with Content-Type: application/json')
  if (isTooDeep(body ?? '')) throw invalid(`the body is nested more than ${maxDepth} levels deep`)
  try {
    return JSON.parse(body ?? '')
  } catch {
    throw invalid('the body is not valid JSON')
  }
}

function read(schema: z.ZodType, value: unknown): unknown {
  requireStorable(value)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(describeIssue(result.error.issues[0]))
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

function respond(status: number, value: unknown): TextResponse {
  const text = `${JSON.stringify(value)}\n`
  return {
    status,
    headers,
    text,
    get body() {
      return new TextEncoder().encode(text)
    },
  }
}
