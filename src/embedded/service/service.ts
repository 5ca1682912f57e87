import { TrieRouter } from 'hono/router/trie-router'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Operation } from '../../api/operation.ts'
import { resources } from '../../api/resources.ts'
import type { WireRequest } from '../../api/wire.ts'
import { Fault, toStorageFault, unauthorized, unknownOperation } from '../common/faults.ts'
import { createIds } from '../common/ids.ts'
import { decodeParams, isAuthorized, parseBody, parseUrl, validateInput } from '../common/requests.ts'
import { createTurnScheduler, type TurnScheduler } from '../common/turn-scheduler.ts'
import { removeNulls } from '../common/values.ts'
import { isUpdate, selectChanges } from '../handlers/changes.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import { runHandler } from '../handlers/index.ts'
import { noSessions, type SessionControl } from '../sessions/session-control.ts'
import { CascadeDeleter } from '../store/cascade-deleter.ts'
import type { Store } from '../store/store.ts'
import { createResponse, createResponseInSteps, isLongList, type TextResponse } from './response.ts'
import { ResponseCache } from './response-cache.ts'

export type Service = (request: WireRequest) => Promise<TextResponse>

const prefix = '/v1'

interface ServiceOptions {
  store: Store
  /** API key that every request must contain (API specification, section 5). */
  apiKey: string
  now(): number
  sessionControl?: SessionControl
  scheduler?: TurnScheduler
  cascadeDeleter?: CascadeDeleter
}

function createHandlerContext({
  store,
  now,
  sessionControl,
  scheduler,
  cascadeDeleter,
}: Pick<
  HandlerContext,
  'store' | 'now' | 'sessionControl' | 'scheduler' | 'cascadeDeleter'
>): HandlerContext {
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return {
    store,
    now,
    ...createIds(now),
    sessionControl,
    scheduler,
    cascadeDeleter,
    applicationId: row?.application_id ?? '',
  }
}

/** Creates the service: authorization, routing, validation and handlers. */
export function createService({
  store,
  apiKey,
  now,
  sessionControl = noSessions,
  scheduler = createTurnScheduler(),
  cascadeDeleter = new CascadeDeleter(store, scheduler),
}: ServiceOptions): Service {
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const context = createHandlerContext({ store, now, sessionControl, scheduler, cascadeDeleter })
  const expectedHeader = Buffer.from(`Bearer ${apiKey}`)

  const pageCache = new ResponseCache(store, sessionControl)
  let loading: Promise<Readonly<Record<OperationName, Operation>>> | undefined
  // The promise is stored, because each `import()` would copy the exports of the module.
  const schemas = () => (loading ??= import('../../api/operations.ts').then(({ operations }) => operations))

  /** Runs an operation. Returns its response value and, for a cacheable value, the store's version before the read. */
  async function runOperation(request: WireRequest): Promise<{ value: unknown; version?: string }> {
    const url = parseUrl(request.url)
    if (!isAuthorized(request.headers['authorization'], expectedHeader)) throw unauthorized()
    const [[match]] = router.match(request.method, url.pathname)
    if (!match) throw unknownOperation(`${request.method} ${url.pathname}`)
    const [name, pathParams] = match
    const endpoint: Endpoint = endpoints[name]
    const { fields } = resources[endpoint.resource]
    const hasBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
    // A request that carries only IDs needs no validation and does not wait for the schemas to load.
    const operation: Partial<Operation> = hasBody || url.search ? (await schemas())[name] : {}
    const params = decodeParams(pathParams as Record<string, string>)
    const query = operation.query
      ? validateInput(operation.query, Object.fromEntries(url.searchParams), fields)
      : {}
    if (endpoint.method === 'GET') {
      const version = endpoint.paging && store.version
      return { value: await runHandler(name, context, { params, query }), ...(version && { version }) }
    }

    const requestBody = operation.body && parseBody(request)
    const validate = (body: unknown) => ({
      params,
      query,
      body: operation.body && validateInput(operation.body, body, fields),
    })
    // The changes of an update are known only inside its transaction.
    if (isUpdate(name))
      return {
        value: await store.write(() =>
          runHandler(name, context, validate(selectChanges(name, context, params, requestBody))),
        ),
      }
    const input = validate(removeNulls(requestBody, fields))
    return { value: await store.write(() => runHandler(name, context, input)) }
  }

  return async (request) => {
    try {
      const cached = request.method === 'GET' ? pageCache.get(request.url) : undefined
      if (cached && isAuthorized(request.headers['authorization'], expectedHeader)) return cached
      const { value, version } = await runOperation(request)
      const response = isLongList(value)
        ? await createResponseInSteps(value, scheduler)
        : createResponse(200, value)
      if (version !== undefined) pageCache.set(request.url, response, value, version)
      return response
    } catch (error) {
      const fault = error instanceof Fault ? error : toStorageFault(error)
      if (!fault) throw error
      const { status, code, message } = fault
      return createResponse(status, { error: { code, message } })
    }
  }
}
