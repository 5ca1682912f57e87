import { type Endpoint, endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import { findResponseProblem, isRecord } from '../api/guards.ts'
import { readResponseValue } from '../api/json.ts'
import { matchOperation } from '../api/match-operation.ts'
import { findForeignId, listNamedIds } from '../api/named-item.ts'
import type { ServiceOutput } from '../api/operation-types.ts'
import type { Operations } from '../api/operations.ts'
import { toText } from '../api/to-text.ts'
import type { WireResponse } from '../api/wire.ts'
import type { FoundItem, LookupName } from './evidence.ts'
import type { ExchangeResult } from './exchange.ts'
import {
  isNullItem,
  type ParsedResponse,
  type ResponseBody,
  readResponse,
  replaceNullList,
} from './parsed-response.ts'
import type { ServiceFacts } from './probe.ts'
import { mayReportProblem, requireUsableRead, unreadableError } from './read-verdict.ts'
import type { Refusals } from './refusals.ts'
import type { AnyInput } from './request.ts'
import type { Before, Remark } from './verdict.ts'

export type OnResponse = (response: WireResponse, received: ResponseBody) => void
export type OperationResponse<N extends OperationName> = ResponseBody<ServiceOutput<Operations[N]>>

interface ReaderOptions {
  baseUrl: string
  onRemark?: (remark: Remark) => void
}

export class ResponseReader {
  readonly #options: ReaderOptions
  readonly #refusals: Refusals
  readonly #serviceFacts: ServiceFacts
  readonly #usableService = Promise.resolve({ isKeyValid: true, isService: true })

  constructor(options: ReaderOptions, refusals: Refusals, serviceFacts: ServiceFacts) {
    this.#options = options
    this.#refusals = refusals
    this.#serviceFacts = serviceFacts
  }

  async readResult<N extends OperationName, Missing = never>(
    name: N,
    input: AnyInput,
    result: ExchangeResult,
    onRefusal: () => Promise<Missing> = () => this.#refusals.throwError(result, endpoints[name], input),
  ): Promise<OperationResponse<N> | Missing> {
    const { response, line } = result
    const endpoint: Endpoint = endpoints[name]
    if (!isAccepted(response)) return onRefusal()
    const received = readResponse(response)
    if (mayReportProblem(received)) await requireUsableRead(endpoint, result, received)
    if (isNullItem(endpoint, received)) return onRefusal()
    const problem =
      received.problem ?? findResponseProblem(name, received.value) ?? findOtherItem(name, input, received)
    if (problem !== undefined) throw unreadableError(problem, received, line, this.#options.baseUrl)
    this.#serviceFacts.probe = this.#usableService
    this.#serviceFacts.known?.add(endpoint, input, received.value)
    return replaceNullList(name, received) as OperationResponse<N>
  }

  /** Reads the response to a lookup that may prove a write. */
  async readItem(name: LookupName, input: AnyInput, result: ExchangeResult): Promise<FoundItem> {
    const { response, line } = result
    const endpoint: Endpoint = endpoints[name]
    const readMissing = () =>
      this.#refusals.readMissing(result, endpoint, input).then(() => ({ item: undefined }))
    if (!isAccepted(response)) return readMissing()
    const received = readResponse(response)
    if (mayReportProblem(received)) await requireUsableRead(endpoint, result, received)
    const { findReadItem } = await import('./verdict.ts')
    const item = findReadItem(endpoint, input, readResponseValue(received))
    if (item === null) return readMissing()
    if (item === undefined)
      throw unreadableError(received.problem ?? 'it contains no item', received, line, this.#options.baseUrl)
    const isNamed = Object(received.value)[endpoint.result] !== undefined
    return { item, response: isNamed ? received : undefined }
  }

  async readWrite(
    name: OperationName,
    input: AnyInput,
    result: ExchangeResult,
    before: Before,
  ): Promise<ResponseBody | undefined> {
    const { response, line, writes } = result
    const route: Route = endpoints[name]
    if (!isAccepted(response)) return this.#readRefusedWrite(name, input, result, before)
    const received = readResponse(response)
    const judged = writes?.judgeWrite({ name, route, input, line, response, received, before })
    for (const remark of judged?.remarks ?? []) this.#options.onRemark?.(remark)
    if (judged?.isShown) this.#serviceFacts.probe = this.#usableService
    return judged?.response
  }

  /** Accepts “not found” if an earlier attempt may have deleted the known item. */
  async #readRefusedWrite(
    name: OperationName,
    input: AnyInput,
    result: ExchangeResult,
    before: Before,
  ): Promise<ResponseBody> {
    const route: Route = endpoints[name]
    if (!before || route.method !== 'DELETE' || !result.response.afterLostAttempt)
      return this.#refusals.throwError(result, route, input)
    await this.#refusals.readMissing(result, route, input)
    const { createDeletionResponse } = await import('./judged-write.ts')
    return createDeletionResponse(endpoints[name], input, before)
  }

  async readBody(
    route: Route,
    input: AnyInput,
    result: ExchangeResult,
    onResponse: OnResponse | undefined,
  ): Promise<ResponseBody> {
    const { response, line, writes } = result
    const received = readResponse(response)
    onResponse?.(response, received)
    if (!isAccepted(response)) return this.#refusals.throwError(result, route, input)
    if (writes) {
      const { name, params = {} } = matchOperation(route.method, route.path) ?? {}
      const write = { name, route, input: { ...input, params }, line, response, received, before: undefined }
      for (const remark of writes.judgeWrite(write).remarks) this.#options.onRemark?.(remark)
    } else if (received.problem !== undefined)
      throw unreadableError(received.problem, received, line, this.#options.baseUrl)
    else if (mayReportProblem(received)) await requireUsableRead(route, result, received)
    return received
  }
}

const isAccepted = ({ status }: WireResponse) => status >= 200 && status < 300

/** Returns the reason why an item of a read does not belong to the requested path. */
function findOtherItem(name: OperationName, { params }: AnyInput, received: ParsedResponse) {
  const endpoint: Endpoint = endpoints[name]
  // Without parameters, the path names no item.
  if (params === undefined) return undefined
  const found = (readResponseValue(received) as Record<string, unknown>)[endpoint.result]
  const namedIds = listNamedIds(endpoint, params)
  const items: readonly unknown[] = endpoint.many && Array.isArray(found) ? found : [found]
  for (const [index, item] of items.entries()) {
    const other = isRecord(item) ? findForeignId(namedIds, item) : undefined
    const path = endpoint.many ? `${endpoint.result}[${index}].` : ''
    if (other) return `${path}${other.field} is “${toText(other.received)}”, not “${other.named}”`
  }
  return undefined
}
