import { TrieRouter } from 'hono/router/trie-router'
import { type Endpoint, endpoints, type OperationName } from '../../api/endpoints.ts'
import type { Operation } from '../../api/operation-types.ts'
import { resources } from '../../api/resources.ts'
import type { WireRequest } from '../../api/wire.ts'
import { Fault, isDamage, toStorageFault, unauthorized, unknownOperation } from '../common/faults.ts'
import { createIds } from '../common/ids.ts'
import { decodeParams, isAuthorized, parseBody, parseUrl, validateInput } from '../common/requests.ts'
import { removeNulls } from '../common/values.ts'
import { isUpdate, selectChanges } from '../handlers/changes.ts'
import type { HandlerContext } from '../handlers/handler-context.ts'
import { runHandler } from '../handlers/index.ts'
import { noSessions } from '../sessions/session-control.ts'
import { CascadeDeleter } from '../store/cascade-deleter.ts'
import { createResponse, type TextResponse } from './response.ts'

export interface ServiceRequest extends WireRequest {
  /** Reads the body from the network. Called only if the request method accepts a body. */
  readBody?(): Promise<string>
}

export type Service = (request: ServiceRequest) => Promise<TextResponse>

const prefix = '/v1'

export interface Call {
  name: OperationName
  params: Readonly<Record<string, string>>
  request: WireRequest
}

/** Test seam that observes requests and can replace their responses. */
export interface Interceptor {
  /** False to skip `respond`. */
  readonly isActive: boolean
  /** @param run runs the operation, and resolves after the effects are committed */
  respond(call: Call, run: () => Promise<TextResponse>): Promise<TextResponse>
  /** @returns description of the nearest operation */
  onUnknownOperation(method: string, path: string): string
}

type ContextOptions = Pick<HandlerContext, 'store' | 'now'> &
  Partial<Pick<HandlerContext, 'sessionControl' | 'cascadeDeleter' | 'onRedelivery'>>

/** By default, there are no sessions and webhooks, because only a served workspace has them. */
export function createHandlerContext(options: ContextOptions): HandlerContext {
  const { store, now } = options
  const row = store.one<{ application_id: string }>('SELECT application_id FROM workspace')
  return {
    sessionControl: noSessions,
    cascadeDeleter: new CascadeDeleter(store),
    onRedelivery: () => {},
    ...{ ...options, ...createIds(now), applicationId: row?.application_id ?? '' },
  }
}

/** @param apiKey key that every request must contain (API specification, “Authentication”) */
export function createService(context: HandlerContext, apiKey: string, interceptor?: Interceptor): Service {
  const { store } = context
  const router = new TrieRouter<OperationName>()
  for (const [name, { method, path }] of Object.entries(endpoints))
    router.add(method, prefix + path.replace(/\{(\w+)\}/g, ':$1'), name as OperationName)
  const expectedHeader = Buffer.from(`Bearer ${apiKey}`)

  let loading: Promise<Readonly<Record<OperationName, Operation>>> | undefined
  const schemas = () => (loading ??= import('../../api/operations.ts').then(({ operations }) => operations))

  function findCall(request: ServiceRequest): Call & { url: URL } {
    const url = parseUrl(request.url)
    if (!isAuthorized(request.headers['authorization'], expectedHeader)) throw unauthorized()
    const [[match]] = router.match(request.method, url.pathname)
    if (!match) {
      const nearest = interceptor?.onUnknownOperation(request.method, url.pathname)
      throw unknownOperation(`${request.method} ${url.pathname}`, nearest)
    }
    const [name, params] = match
    return { name, params: decodeParams(params as Record<string, string>), request, url }
  }

  async function respond({ name, params, request, url }: Call & { url: URL }): Promise<TextResponse> {
    const endpoint: Endpoint = endpoints[name]
    const { fields } = resources[endpoint.resource]
    const hasBody = acceptsBody(endpoint.method)
    // Requests that need no validation do not wait for the schemas.
    const operation: Partial<Operation> = hasBody || url.search ? (await schemas())[name] : {}
    const query = operation.query
      ? validateInput(operation.query, Object.fromEntries(url.searchParams), fields)
      : {}
    if (endpoint.method === 'GET') return createResponse(200, runHandler(name, context, { params, query }))
    const requestBody = operation.body && parseBody(request)
    const validate = (body: unknown) => ({
      params,
      query,
      body: operation.body && validateInput(operation.body, body, fields),
    })
    // The changes of an update are known only inside its transaction.
    if (isUpdate(name))
      return createResponse(
        200,
        await store.write(() =>
          runHandler(name, context, validate(selectChanges(name, context, params, requestBody))),
        ),
      )
    const input = validate(removeNulls(requestBody, fields))
    return createResponse(200, await store.write(() => runHandler(name, context, input)))
  }

  return async (request) => {
    const isIntercepted = interceptor?.isActive ?? false
    let operation: OperationName | undefined
    let response: TextResponse
    try {
      const call = findCall(request)
      operation = call.name
      if (request.readBody && acceptsBody(request.method)) {
        const { method, url, headers, readBody } = request
        call.request = { method, url, headers, body: await readBody() }
      }
      response = await (interceptor && isIntercepted
        ? interceptor.respond(call, () => respond(call).catch(createErrorResponse))
        : respond(call))
    } catch (error) {
      response = createErrorResponse(error)
    }
    response.operation = operation
    return response
  }
}

const acceptsBody = (method: string) => method === 'POST' || method === 'PUT'

/** @throws any error that is neither a `Fault` nor a storage failure */
export function createErrorResponse(error: unknown): TextResponse {
  const fault = error instanceof Fault ? error : toStorageFault(error)
  if (!fault) throw error
  const { status, code, message } = fault
  const headers = status === 429 ? { 'retry-after': '1' } : undefined
  return { ...createResponse(status, { error: { code, message } }, headers), isDamage: isDamage(fault) }
}
