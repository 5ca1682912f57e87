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
import { createPace, type Pace, turns } from './pace.ts'
import { decodeParams, isKey, parseBody, parseUrl, read } from './requests.ts'
import type { Store } from './store/store.ts'
import { Sweeper } from './sweeper.ts'
import { isObject, withoutNulls } from './values.ts'

/** An answer whose bytes are only made when they are asked for. */
export interface TextResponse extends WireResponse {
  /** The body: one text, or many where it is long. */
  readonly texts: readonly string[]
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
  sweeper?: Sweeper
}

/** What handlers work with. */
export function createDesk({
  store,
  now,
  live,
  pace,
  sweeper,
}: Pick<Desk, 'store' | 'now' | 'live' | 'pace' | 'sweeper'>): Desk {
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return { store, now, ...createIds(now), live, pace, sweeper, applicationId: row?.application_id ?? '' }
}

/** The whole service as a function from request to response: authorization, routing, validation, behaviour. */
export function createService({
  store,
  apiKey,
  now,
  live = nobodyLive,
  pace = createPace(),
  sweeper = new Sweeper(store, pace),
}: ServiceOptions): Service {
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const desk = createDesk({ store, now, live, pace, sweeper })
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
      const value = await answer(request)
      return respond(200, isLong(value) ? await writeLong(value, pace) : [`${toJson(value)}\n`])
    } catch (error) {
      const fault = error instanceof Fault ? error : storageFault(error)
      if (!fault) throw error
      const { status, code, message } = fault
      return respond(status, [`${toJson({ error: { code, message } })}\n`])
    }
  }
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

function respond(status: number, texts: readonly string[]): TextResponse {
  return {
    status,
    headers,
    texts,
    get body() {
      return new TextEncoder().encode(texts.join(''))
    },
  }
}

/** How many items of a list are written in one go. No page has more. */
const stepItems = 1000

/** Whether an answer is nothing but a list, and one longer than any page. */
function isLong(value: unknown): value is Record<string, unknown[]> {
  const [items, ...others] = isObject(value) ? Object.values(value) : []
  return others.length === 0 && Array.isArray(items) && items.length > stepItems
}

/** Writes a long list in steps. */
async function writeLong(value: Record<string, unknown[]>, pace: Pace): Promise<string[]> {
  const [[name, items] = ['', []]] = Object.entries(value)
  const texts = [`{${JSON.stringify(name)}:[`]
  const turn = turns(pace)
  for (let i = 0; i < items.length; i += stepItems) {
    const some = toJson(items.slice(i, i + stepItems)).slice(1, -1)
    texts.push(i === 0 ? some : `,${some}`)
    await turn()
  }
  return [...texts, ']}\n']
}

/** Numbers of unlisted fields may have more digits than JSON.stringify can write, which is several times as fast. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('"isLosslessNumber":true') ? writeJson(value) : text
}
