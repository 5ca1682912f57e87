import { TrieRouter } from 'hono/router/trie-router'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Operation } from '../../api/operation.ts'
import { resources } from '../../api/resources.ts'
import type { WireRequest } from '../../api/wire.ts'
import { Fault, storageFault, unauthorized, unknownOperation } from '../common/faults.ts'
import { createIds } from '../common/ids.ts'
import { createTurnScheduler, type TurnScheduler } from '../common/pace.ts'
import { decodeParams, isKey, parseBody, parseUrl, read } from '../common/requests.ts'
import { removeNulls } from '../common/values.ts'
import { isUpdate, selectChanges } from '../handlers/changes.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import { handle } from '../handlers/index.ts'
import { type Live, noSessions } from '../sessions/live.ts'
import { CascadeDeleter } from '../store/cascade-deleter.ts'
import type { Store } from '../store/store.ts'
import { isLong, respond, respondInSteps, type TextResponse } from './response.ts'
import { ResponseCache } from './response-cache.ts'

export type Service = (request: WireRequest) => Promise<TextResponse>

const prefix = '/v1'

export interface ServiceOptions {
  store: Store
  /** The key that every request must carry (API specification, section 5). */
  apiKey: string
  now(): number
  live?: Live
  pace?: TurnScheduler
  cascadeDeleter?: CascadeDeleter
}

export function createHandlerContext({
  store,
  now,
  live,
  pace,
  cascadeDeleter,
}: Pick<HandlerContext, 'store' | 'now' | 'live' | 'pace' | 'cascadeDeleter'>): HandlerContext {
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return {
    store,
    now,
    ...createIds(now),
    live,
    pace,
    cascadeDeleter,
    applicationId: row?.application_id ?? '',
  }
}

/** Creates the service: authorization, routing, validation and handlers. */
export function createService({
  store,
  apiKey,
  now,
  live = noSessions,
  pace = createTurnScheduler(),
  cascadeDeleter = new CascadeDeleter(store, pace),
}: ServiceOptions): Service {
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const context = createHandlerContext({ store, now, live, pace, cascadeDeleter })
  const expected = Buffer.from(`Bearer ${apiKey}`)

  const pages = new ResponseCache(store, live)
  let loading: Promise<Readonly<Record<OperationName, Operation>>> | undefined
  // Importing again would copy the module's names each time.
  const schemas = () => (loading ??= import('../../api/operations.ts').then(({ operations }) => operations))

  /** Returns the response value and, when it can be cached, the version of the store before the read. */
  async function answer(request: WireRequest): Promise<{ value: unknown; version?: string }> {
    const url = parseUrl(request.url)
    if (!isKey(request.headers['authorization'], expected)) throw unauthorized()
    const [[match]] = router.match(request.method, url.pathname)
    if (!match) throw unknownOperation(`${request.method} ${url.pathname}`)
    const [name, pathParams] = match
    const endpoint: Endpoint = endpoints[name]
    const { fields } = resources[endpoint.resource]
    const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
    // A request that carries only IDs needs no validation and does not wait for the schemas to load.
    const operation: Partial<Operation> = hasBody || url.search ? (await schemas())[name] : {}
    const params = decodeParams(pathParams as Record<string, string>)
    const query = operation.query ? read(operation.query, Object.fromEntries(url.searchParams), fields) : {}
    if (endpoint.method === 'GET') {
      const version = endpoint.paging && store.version
      return { value: await handle(name, context, { params, query }), ...(version && { version }) }
    }

    const sent = operation.body && parseBody(request)
    const validate = (body: unknown) => ({
      params,
      query,
      body: operation.body && read(operation.body, body, fields),
    })
    // Only the transaction shows what an update changes.
    if (isUpdate(name))
      return {
        value: await store.write(() =>
          handle(name, context, validate(selectChanges(name, context, params, sent))),
        ),
      }
    const input = validate(removeNulls(sent, fields))
    return { value: await store.write(() => handle(name, context, input)) }
  }

  return async (request) => {
    try {
      const cached = request.method === 'GET' ? pages.find(request.url) : undefined
      if (cached && isKey(request.headers['authorization'], expected)) return cached
      const { value, version } = await answer(request)
      const response = isLong(value) ? await respondInSteps(value, pace) : respond(200, value)
      if (version !== undefined) pages.keep(request.url, response, value, version)
      return response
    } catch (error) {
      const fault = error instanceof Fault ? error : storageFault(error)
      if (!fault) throw error
      const { status, code, message } = fault
      return respond(status, { error: { code, message } })
    }
  }
}
