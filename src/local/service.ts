import { TrieRouter } from 'hono/router/trie-router'
import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { writeJson } from '../api/json.ts'
import type { Operation } from '../api/operation.ts'
import { resources } from '../api/resources.ts'
import type { WireRequest, WireResponse } from '../api/wire.ts'
import { Fault, notFound, storageFault, unauthorized } from './faults.ts'
import { changes, isUpdate } from './handlers/changes.ts'
import type { Desk } from './handlers/handler.ts'
import { handle } from './handlers/index.ts'
import { createIds } from './ids.ts'
import { type Live, nobodyLive } from './live/live.ts'
import { createPace, type Pace } from './pace.ts'
import { decodeParams, isKey, parseBody, parseUrl, read } from './requests.ts'
import type { Store } from './store/store.ts'
import { withoutNulls } from './values.ts'

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
  pace?: Pace
}

/** What handlers work with. */
export function createDesk({ store, now, live, pace }: Pick<Desk, 'store' | 'now' | 'live' | 'pace'>): Desk {
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return { store, now, ...createIds(now), live, pace, applicationId: row?.application_id ?? '' }
}

/** The whole service as a function from request to response: authorization, routing, validation, behaviour. */
export function createService({
  store,
  apiKey,
  now,
  live = nobodyLive,
  pace = createPace(),
}: ServiceOptions): Service {
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const desk = createDesk({ store, now, live, pace })
  const expected = Buffer.from(`Bearer ${apiKey}`)

  async function answer(request: WireRequest): Promise<unknown> {
    const url = parseUrl(request.url)
    if (!isKey(request.headers['authorization'], expected)) throw unauthorized()
    const [[match]] = router.match(request.method, url.pathname)
    if (!match) throw notFound(`operation: ${request.method} ${url.pathname}`)
    const [name, pathParams] = match
    const endpoint: Endpoint = endpoints[name]
    const { fields } = resources[endpoint.resource]
    const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
    // A request that carries only ids needs no validation, and so does not wait for the schemas to load.
    const operation: Partial<Operation> =
      hasBody || url.search ? (await import('../api/operations.ts')).operations[name] : {}
    const params = decodeParams(pathParams as Record<string, string>)
    const query = operation.query ? read(operation.query, Object.fromEntries(url.searchParams), fields) : {}
    if (endpoint.method === 'GET') return handle(name, desk, { params, query })

    const sent = operation.body && parseBody(request)
    const checked = (body: unknown) => ({
      params,
      query,
      body: operation.body && read(operation.body, body, fields),
    })
    // What an update changes shows only in its transaction.
    if (isUpdate(name))
      return store.write(() => handle(name, desk, checked(changes(name, desk, params, sent))))
    const input = checked(withoutNulls(sent, fields))
    return store.write(() => handle(name, desk, input))
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

const headers = { 'content-type': 'application/json; charset=utf-8' }

function respond(status: number, value: unknown): TextResponse {
  const text = `${toJson(value)}\n`
  return {
    status,
    headers,
    text,
    get body() {
      return new TextEncoder().encode(text)
    },
  }
}

/** Numbers of unlisted fields may have more digits than JSON.stringify can write, which is several times as fast. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('"isLosslessNumber":true') ? writeJson(value) : text
}
