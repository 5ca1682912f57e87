import { endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import { findResponseProblem, isRecord } from '../api/guards.ts'
import { type JsonBody, readResponseValue, writeJson } from '../api/json.ts'
import { matchOperation } from '../api/match-operation.ts'
import type { Input, ServiceOutput } from '../api/operation.ts'
import type { Operations } from '../api/operations.ts'
import type { Transport, WireRequest, WireResponse } from '../api/wire.ts'
import { AuthError, type RequestLine, ServiceError, suggest } from '../errors.ts'
import type { AcceptedWrite, Remark, requireDone } from './accepted.ts'
import { type AuditTrail, withAuditTrail } from './audit-trail.ts'
import { findOtherItem } from './other-item.ts'
import { createResponseReader, type ParsedResponse, quoteBody } from './parsed-response.ts'
import type { ServiceFacts } from './probe.ts'
import { type AnyInput, buildRequest, checkHint, jsonHeaders } from './request.ts'
import { createSend, type FinalResponse, type Policy } from './retry.ts'
import { isRepeatable } from './retry-policy.ts'

export interface ServiceAccess {
  transport: Transport
  apiKey: string
}

interface ClientOptions {
  /** Base URL that ends with `/v1`, without a trailing slash. */
  baseUrl: string
  /** Opens the service. Called once, before the first request is sent. */
  open: () => Promise<ServiceAccess>
  /** Runs before every request, including probes. If it fails, the request is not sent. */
  beforeSend: (request: WireRequest) => Promise<void> | undefined
  /** Starts the audit record of a write. Retries belong to the same record. */
  audit?: (endpoint: Route, input: AnyInput) => AuditTrail
  userAgent: string
  policy: Policy
  interrupt?: AbortSignal
  cancelUnsent?: AbortSignal
  serviceFacts?: ServiceFacts
  onRemark?: (remark: Remark) => void
  onExchange?: (line: { method: string; url: string; status: number }) => void
}

export type ResponseBody<T = unknown> = JsonBody<T>

/** Operation that reads one item by its ID. */
export type LookupName = {
  [N in OperationName]: (typeof endpoints)[N] extends { method: 'GET'; many: false } ? N : never
}[OperationName]

type OnResponse = (response: WireResponse, received: ResponseBody) => void

export interface Client {
  /**
   * Calls an operation. A write resolves only when its response proves or acknowledges the change.
   * @throws {ApiError | NotFoundError | AuthError} when the service refuses the request
   * @throws {NotAppliedError} when the response to a write contradicts the request
   * @throws {NetworkError | UnknownOutcomeError} when no response arrives, or the outcome of a write is unknown
   * @throws {ServiceError} when the service fails, or a response to a read is unreadable
   * @throws {WrongBaseUrlError} when the base URL does not belong to a Meeting Room Service
   */
  call<N extends OperationName>(
    name: N,
    input: Input<Operations[N]>,
  ): Promise<ResponseBody<ServiceOutput<Operations[N]>>>
  /**
   * Reads an item; undefined if it does not exist. Costs less than the error that `call` throws.
   * @throws any error of `call` except `NotFoundError`
   */
  find<N extends LookupName>(
    name: N,
    input: Input<Operations[N]>,
  ): Promise<ResponseBody<ServiceOutput<Operations[N]>> | undefined>
  /** Sends a request to any path. Passes its response, even an error response, to `onResponse`. */
  request(endpoint: Route, input: AnyInput, onResponse?: OnResponse): Promise<ResponseBody>
  /** @throws {AuthError | UsageError} when the service or the key is missing */
  ready(): Promise<void>
  readonly serviceFacts: ServiceFacts
  /** Returns true when a Meeting Room Service responds at the base URL, even if it refuses the key. */
  isService(): Promise<boolean>
}

export function createClient(options: ClientOptions): Client {
  const { baseUrl, serviceFacts = {} } = options
  const read = createResponseReader()
  const usableService = Promise.resolve({ isKeyValid: true, isService: true })
  const { open, exchange } = createExchange(options)

  const probe = () => (serviceFacts.probe ??= sendProbe())
  const probeAfterDenial = () => (serviceFacts.probeAfterDenial ??= sendProbe())
  const sendProbe = () =>
    exchange(endpoints.listRooms, { query: { limit: 1 } }, undefined, async ({ response }) => {
      const { readProbe } = await import('./probe.ts')
      return readProbe(response)
    })
  // A failure of this lookup must not hide the refusal that the lookup explains.
  const userExists = async (user_id: string) =>
    exchange(
      endpoints.getUser,
      { params: { user_id } },
      undefined,
      ({ response }) => ![400, 404, 410].includes(response.status),
    ).catch(() => true)

  const toErrorResponse = ({ response, line }: ExchangeResult, endpoint: Route, input: AnyInput) => ({
    response,
    line,
    endpoint,
    input,
    baseUrl,
    probe,
    probeAfterDenial,
    userExists,
    check: () => checkHint(endpoint, input),
  })

  let responseErrors: typeof import('./response-error.ts') | undefined
  async function throwResponseError(
    result: ExchangeResult,
    endpoint: Route,
    input: AnyInput,
  ): Promise<never> {
    responseErrors ??= await import('./response-error.ts')
    throw await responseErrors.toResponseError(toErrorResponse(result, endpoint, input))
  }

  async function readMissing(result: ExchangeResult, endpoint: Route, input: AnyInput): Promise<undefined> {
    responseErrors ??= await import('./response-error.ts')
    const isMissing = await responseErrors.isMissingItem(toErrorResponse(result, endpoint, input))
    return isMissing ? undefined : throwResponseError(result, endpoint, input)
  }

  const startTrail = (endpoint: Route, input: AnyInput) =>
    endpoint.method === 'GET' ? undefined : options.audit?.(endpoint, input)

  return {
    call: (name, input) =>
      withAuditTrail(startTrail(endpoints[name], input), (trail) =>
        exchange(endpoints[name], input, trail, (result) => readResult(name, input, result)),
      ),
    find: (name, input) =>
      exchange(endpoints[name], input, undefined, (result) =>
        isAccepted(result.response)
          ? readResult(name, input, result)
          : readMissing(result, endpoints[name], input),
      ),
    request: (endpoint, input, onResponse) =>
      withAuditTrail(startTrail(endpoint, input), (trail) =>
        exchange(endpoint, input, trail, (result) => readBody(endpoint, input, result, onResponse)),
      ),
    serviceFacts,
    ready: async () => void (await open()),
    isService: async () => (await probe()).isService,
  }

  /** Returns a value instead of a promise where possible, because an extra promise slows down every request. */
  function readResult<N extends OperationName>(name: N, input: AnyInput, result: ExchangeResult) {
    type Result = ResponseBody<ServiceOutput<Operations[N]>>
    const { response, line, checkWrite } = result
    const route: Route = endpoints[name]
    if (!isAccepted(response)) return throwResponseError(result, route, input)
    const received = read(response)
    if (checkWrite) {
      const isShown = requireWrite(checkWrite, { name, route, input, line, response, received })
      if (isShown) serviceFacts.probe = usableService
      return (received.isEmpty ? { ...received, value: {} } : received) as Result
    }
    const problem =
      received.problem ?? findResponseProblem(name, received.value) ?? findOtherItem(name, input, received)
    if (problem !== undefined) throw unreadableError(problem, received, line, baseUrl)
    serviceFacts.probe = usableService
    return replaceNullList(name, received) as Result
  }

  function readBody(
    route: Route,
    input: AnyInput,
    result: ExchangeResult,
    onResponse: OnResponse | undefined,
  ) {
    const { response, line, checkWrite } = result
    const received = read(response)
    onResponse?.(response, received)
    if (!isAccepted(response)) return throwResponseError(result, route, input)
    const { problem } = received
    if (checkWrite) {
      const { name, params = {} } = matchOperation(route.method, route.path) ?? {}
      requireWrite(checkWrite, { name, route, input: { ...input, params }, line, response, received })
    } else if (problem !== undefined) throw unreadableError(problem, received, line, baseUrl)
    return received
  }

  function requireWrite(checkWrite: CheckWrite, write: AcceptedWrite): boolean {
    const { isShown, remarks } = checkWrite(write)
    for (const remark of remarks) options.onRemark?.(remark)
    return isShown
  }
}

type CheckWrite = typeof requireDone

interface ExchangeResult {
  response: FinalResponse
  line: RequestLine
  checkWrite: CheckWrite | undefined
}

function isAccepted({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}

/** Creates the function that sends one request. The service is opened before the first request. */
function createExchange(options: ClientOptions) {
  const { baseUrl } = options
  let opening: Promise<OpenedService> | undefined
  let opened: OpenedService | undefined
  let checkWrite: CheckWrite | undefined

  async function open(): Promise<OpenedService> {
    opening ??= options.open().then(({ transport, apiKey }) => {
      const headers = createHeaders(apiKey, options.userAgent)
      return {
        headers,
        bodyHeaders: { ...headers, ...jsonHeaders },
        send: createSend(transport, options.policy, options),
      }
    })
    opened = await opening
    return opened
  }

  /** @param conclude converts the response to the caller's result */
  async function exchange<T>(
    endpoint: Route,
    input: AnyInput,
    trail: AuditTrail | undefined,
    conclude: (result: ExchangeResult) => T | Promise<T>,
  ): Promise<T> {
    const request = buildRequest(baseUrl, endpoint, input)
    const line = {
      method: request.method,
      path: request.url.slice(baseUrl.length),
    }
    const write = endpoint.method !== 'GET'
    const permission = options.beforeSend(request)
    if (permission) await permission
    const { send, headers, bodyHeaders } = opened ?? (await open())
    // Loaded before the request is sent, so that a write cannot be followed by a loading error.
    if (write) checkWrite ??= (await import('./accepted.ts')).requireDone
    if (trail) await trail.begin(request)
    const ownHeaders = request.body === undefined ? headers : bodyHeaders
    const { authorization } = headers
    const { method, url, body } = request
    const response = await send(
      {
        method,
        url,
        headers: input.headers ? { ...ownHeaders, ...input.headers, authorization } : ownHeaders,
        body,
      },
      {
        repeatable: isRepeatable(endpoint),
        write,
        check: () => checkHint(endpoint, input),
        line,
      },
    )
    trail?.recordResponse(response.status)
    options.onExchange?.({ method, url, status: response.status })
    return conclude({ response, line, checkWrite: write ? checkWrite : undefined })
  }

  return { open, exchange }
}

function unreadableError(
  problem: string,
  received: ParsedResponse,
  request: RequestLine,
  baseUrl: string,
): ServiceError {
  return new ServiceError(`the service’s response cannot be read: ${problem}`, {
    hint: isRecord(received.value)
      ? undefined
      : `is ${baseUrl} the base URL of a Meeting Room Service? It ends with the version, as in https://host/v1`,
    status: received.status,
    request,
    body: quoteBody(received),
  })
}

type OwnHeaders = Readonly<Record<string, string>> & { readonly authorization: string }

interface OpenedService {
  send: ReturnType<typeof createSend>
  headers: OwnHeaders
  bodyHeaders: OwnHeaders
}

/** @throws {AuthError} when the key contains characters that a header cannot contain */
function createHeaders(apiKey: string, userAgent: string): OwnHeaders {
  // The HTTP library quotes a refused header value in its error, and this value contains the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new AuthError(
      'the API key contains a space, a line break or another character that is not allowed in a key',
      {
        hint: ['check MEETROOM_API_KEY, or store the key again with: ', suggest(['auth', 'login'])],
      },
    )
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
  }
}

/** Replaces a null list with an empty one, because some services send null for an empty list. */
function replaceNullList(name: OperationName, received: ParsedResponse): ParsedResponse {
  const { many, result } = endpoints[name]
  if (!many || !isRecord(received.value) || received.value[result] !== null) return received
  const value = { ...(readResponseValue(received) as object), [result]: [] }
  return { ...received, bytes: new TextEncoder().encode(writeJson(value)), value, isPlain: true }
}
