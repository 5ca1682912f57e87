import { type Endpoint, endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import { findResponseProblem } from '../api/guards.ts'
import { readResponseValue } from '../api/json.ts'
import { matchOperation } from '../api/match-operation.ts'
import type { Input, ServiceOutput } from '../api/operation.ts'
import type { Operations } from '../api/operations.ts'
import type { WireResponse } from '../api/wire.ts'
import { type AuditTrail, withAuditTrail } from './audit-trail.ts'
import type { Doubt, LookupName, ProofReader, ReadList } from './evidence.ts'
import { createExchange, type ExchangeOptions, type ExchangeResult } from './exchange.ts'
import { findOtherItem } from './other-item.ts'
import { isNullItem, type ResponseBody, readResponse, replaceNullList } from './parsed-response.ts'
import type { ServiceFacts } from './probe.ts'
import type { Settle } from './proof.ts'
import { mayReportProblem, requireUsableRead, unreadableError } from './read-verdict.ts'
import { type AnyInput, checkHint } from './request.ts'
import type { Before, Remark } from './verdict.ts'

interface ClientOptions extends ExchangeOptions {
  /** Starts the audit record of a write. Retries belong to the same record. */
  audit?: (endpoint: Route, input: AnyInput) => AuditTrail
  serviceFacts?: ServiceFacts
  onRemark?: (remark: Remark) => void
  /** Reads a list, to prove writes. */
  readList: ReadPages
  /** Collects writes whose responses prove nothing. By default, each is proved immediately. */
  settle?: Settle
  /** Returns the maximum number of concurrent reads that prove writes. By default, 1. */
  concurrency?: () => number
}

/** Reads a list of a client by pages. */
export type ReadPages = (client: Client, ...args: Parameters<ReadList>) => ReturnType<ReadList>

type OnResponse = (response: WireResponse, received: ResponseBody) => void

export interface Client {
  /**
   * Calls an operation. A write resolves only when its response or a read of its item proves the change.
   * @throws {ApiError | NotFoundError | AuthError} when the service refuses the request
   * @throws {NotAppliedError} when the service has made a change other than the requested one
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

  const reader: Omit<ProofReader, 'concurrency' | 'readList'> = {
    readItem: (name, input) =>
      exchange(endpoints[name], input, undefined, async (result) => {
        const { response, line } = result
        const missing = () => readMissing(result, endpoints[name], input).then(() => ({ item: undefined }))
        if (!isAccepted(response)) return missing()
        const received = readResponse(response)
        if (mayReportProblem(received)) await requireUsableRead(endpoints[name], result, received)
        const { findReadItem } = await import('./verdict.ts')
        const item = findReadItem(endpoints[name], input, readResponseValue(received))
        if (item === null) return missing()
        if (item === undefined)
          throw unreadableError(received.problem ?? 'it shows no item', received, line, baseUrl)
        const isNamed = Object(received.value)[endpoints[name].result] !== undefined
        return { item, answer: isNamed ? received : undefined }
      }),
    sleep: (ms) => options.policy.timing.sleep(ms, options.interrupt),
    onRemark: (remark) => options.onRemark?.(remark),
  }

  /** Not `async`, because an extra promise slows down every request. */
  function write<N extends OperationName>(name: N, input: AnyInput, trail: AuditTrail | undefined) {
    type Result = ResponseBody<ServiceOutput<Operations[N]>>
    const endpoint: Endpoint = endpoints[name]
    const before = serviceFacts.known?.take(endpoint, input)
    return exchange(
      endpoint,
      input,
      trail,
      (result) => readWrite(name, input, result, before) as Result,
      (error) => settle({ name, input, before, error }) as Promise<Result>,
    )
  }

  async function settle(doubt: Doubt): Promise<ResponseBody> {
    const { isReadable, prove, settleNow } = await import('./judged-write.ts')
    if (!isReadable(doubt)) throw doubt.error
    return (options.settle ?? settleNow)(doubt, (doubts) =>
      prove(doubts, {
        ...reader,
        readList: (list, input) => options.readList(client, list, input),
        concurrency: options.concurrency?.() ?? 1,
      }),
    )
  }

  const client: Client = {
    call: (name, input) =>
      withAuditTrail(startTrail(endpoints[name], input), (trail) =>
        endpoints[name].method === 'GET'
          ? exchange(endpoints[name], input, trail, (result) => readResult(name, input, result))
          : write(name, input, trail),
      ),
    find: (name, input) =>
      exchange(endpoints[name], input, undefined, (result) =>
        readResult(name, input, result, () => readMissing(result, endpoints[name], input)),
      ),
    request: (endpoint, input, onResponse) =>
      withAuditTrail(startTrail(endpoint, input), (trail) =>
        exchange(endpoint, input, trail, (result) => readBody(endpoint, input, result, onResponse)),
      ),
    serviceFacts,
    ready: async () => void (await open()),
    isService: async () => (await probe()).isService,
  }
  return client

  /** Returns a value instead of a promise where possible, because an extra promise slows down every request. */
  function readResult<N extends OperationName, Missing = never>(
    name: N,
    input: AnyInput,
    result: ExchangeResult,
    onRefusal: () => Promise<Missing> = () => throwResponseError(result, endpoints[name], input),
  ) {
    type Result = ResponseBody<ServiceOutput<Operations[N]>>
    const { response, line } = result
    const endpoint: Endpoint = endpoints[name]
    if (!isAccepted(response)) return onRefusal()
    const received = readResponse(response)
    const accept = (): Result | Promise<Missing> => {
      if (isNullItem(endpoint, received)) return onRefusal()
      const problem =
        received.problem ?? findResponseProblem(name, received.value) ?? findOtherItem(name, input, received)
      if (problem !== undefined) throw unreadableError(problem, received, line, baseUrl)
      serviceFacts.probe = usableService
      serviceFacts.known?.add(endpoint, input, received.value)
      return replaceNullList(name, received) as Result
    }
    return mayReportProblem(received)
      ? requireUsableRead(endpoint, result, received).then<Result | Missing>(accept)
      : accept()
  }

  function readWrite(name: OperationName, input: AnyInput, result: ExchangeResult, before: Before) {
    const { response, line, writes } = result
    const route: Route = endpoints[name]
    if (!isAccepted(response)) return readRefusedWrite(result, name, input, before)
    const judged = writes?.judgeWrite({
      name,
      route,
      input,
      line,
      response,
      received: readResponse(response),
      before,
    })
    for (const remark of judged?.remarks ?? []) options.onRemark?.(remark)
    if (judged?.isShown) serviceFacts.probe = usableService
    return judged?.answer
  }

  /** A deletion whose first response was lost is done if the item existed and is gone. */
  async function readRefusedWrite(
    result: ExchangeResult,
    name: OperationName,
    input: AnyInput,
    before: Before,
  ): Promise<ResponseBody> {
    const route: Route = endpoints[name]
    if (!before || route.method !== 'DELETE' || !result.response.afterLostAttempt)
      return throwResponseError(result, route, input)
    await readMissing(result, route, input)
    const { createDeletionAnswer } = await import('./judged-write.ts')
    return createDeletionAnswer(endpoints[name], input, before)
  }

  function readBody(
    route: Route,
    input: AnyInput,
    result: ExchangeResult,
    onResponse: OnResponse | undefined,
  ) {
    const { response, line, writes } = result
    const received = readResponse(response)
    onResponse?.(response, received)
    if (!isAccepted(response)) return throwResponseError(result, route, input)
    if (writes) {
      const { name, params = {} } = matchOperation(route.method, route.path) ?? {}
      const request = {
        name,
        route,
        input: { ...input, params },
        line,
        response,
        received,
        before: undefined,
      }
      for (const remark of writes.judgeWrite(request).remarks) options.onRemark?.(remark)
    } else if (received.problem !== undefined)
      throw unreadableError(received.problem, received, line, baseUrl)
    else if (mayReportProblem(received))
      return requireUsableRead(route, result, received).then(() => received)
    return received
  }
}

function isAccepted({ status }: WireResponse): boolean {
  return status >= 200 && status < 300
}
