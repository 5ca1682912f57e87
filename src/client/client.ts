import { type Endpoint, endpoints, type OperationName, type Route } from '../api/endpoints.ts'
import type { Input } from '../api/operation-types.ts'
import type { Operations } from '../api/operations.ts'
import { type AuditTrail, withAuditTrail } from './audit-trail.ts'
import type { Doubt, LookupName, ReadList } from './evidence.ts'
import { createExchange, type ExchangeOptions } from './exchange.ts'
import type { ResponseBody } from './parsed-response.ts'
import type { ServiceFacts } from './probe.ts'
import type { Settle } from './proof.ts'
import { createRefusals } from './refusals.ts'
import type { AnyInput } from './request.ts'
import { type OnResponse, type OperationResponse, ResponseReader } from './response-reader.ts'
import type { Remark } from './verdict.ts'

interface ClientOptions extends ExchangeOptions {
  /** Starts the audit record of a write. Retries belong to the same record. */
  audit?: (endpoint: Route, input: AnyInput) => AuditTrail
  serviceFacts?: ServiceFacts
  onRemark?: (remark: Remark) => void
  /** Reads lists that prove writes. */
  readList: ReadPages
  /** Collects writes with an unknown outcome. By default, the client proves each write immediately. */
  settle?: Settle
  /** Returns the maximum number of concurrent reads that prove writes. By default, 1. */
  concurrency?: () => number
}

export type ReadPages = (client: Client, ...args: Parameters<ReadList>) => ReturnType<ReadList>

export interface Client {
  /**
   * Calls an operation. A write of a readable item resolves only after proof of the change.
   * @throws {NotAppliedError} if the response or a later read contradicts a write
   * @throws {UnknownOutcomeError} if the outcome of a write is unknown
   * @throws {MeetroomError} if there is no response, or the response is a refusal, unusable or incomplete
   */
  call<N extends OperationName>(name: N, input: Input<Operations[N]>): Promise<OperationResponse<N>>
  /** Returns undefined for a missing item, which takes less time than the error of `call`. */
  find<N extends LookupName>(name: N, input: Input<Operations[N]>): Promise<OperationResponse<N> | undefined>
  /** Sends a request to any path. Passes even an error response to `onResponse`. */
  request(endpoint: Route, input: AnyInput, onResponse?: OnResponse): Promise<ResponseBody>
  /** @throws {MeetroomError} if the service cannot be opened, for example without a key */
  ready(): Promise<void>
  readonly serviceFacts: ServiceFacts
  /** Returns true if a Meeting Room Service responds, possibly with an error. Rejects without a response. */
  isService(): Promise<boolean>
}

export function createClient(options: ClientOptions): Client {
  const { serviceFacts = {} } = options
  const { open, exchange } = createExchange(options)
  const refusals = createRefusals(exchange, options, serviceFacts)
  const reader = new ResponseReader(options, refusals, serviceFacts)
  const startTrail = (endpoint: Route, input: AnyInput) =>
    endpoint.method === 'GET' ? undefined : options.audit?.(endpoint, input)

  function write<N extends OperationName>(name: N, input: AnyInput, trail: AuditTrail | undefined) {
    const endpoint: Endpoint = endpoints[name]
    const before = serviceFacts.known?.take(endpoint, input)
    return exchange(
      endpoint,
      input,
      trail,
      (result) => reader.readWrite(name, input, result, before) as Promise<OperationResponse<N>>,
      (error) => settle({ name, input, before, error }) as Promise<OperationResponse<N>>,
    )
  }

  async function settle(doubt: Doubt): Promise<ResponseBody> {
    const { isReadable, prove, settleNow } = await import('./judged-write.ts')
    if (!isReadable(doubt)) throw doubt.error
    return (options.settle ?? settleNow)(doubt, (doubts) =>
      prove(doubts, {
        readItem: (name, input) =>
          exchange(endpoints[name], input, undefined, (result) => reader.readItem(name, input, result)),
        readList: (list, input) => options.readList(client, list, input),
        sleep: (ms) => options.policy.timing.sleep(ms, options.interrupt),
        onRemark: (remark) => options.onRemark?.(remark),
        concurrency: options.concurrency?.() ?? 1,
      }),
    )
  }

  const client: Client = {
    call: (name, input) =>
      withAuditTrail(startTrail(endpoints[name], input), (trail) =>
        endpoints[name].method === 'GET'
          ? exchange(endpoints[name], input, trail, (result) => reader.readResult(name, input, result))
          : write(name, input, trail),
      ),
    find: (name, input) =>
      exchange(endpoints[name], input, undefined, (result) =>
        reader.readResult(name, input, result, () => refusals.readMissing(result, endpoints[name], input)),
      ),
    request: (endpoint, input, onResponse) =>
      withAuditTrail(startTrail(endpoint, input), (trail) =>
        exchange(endpoint, input, trail, (result) => reader.readBody(endpoint, input, result, onResponse)),
      ),
    serviceFacts,
    ready: async () => void (await open()),
    isService: async () => (await refusals.probe()).isService,
  }
  return client
}
