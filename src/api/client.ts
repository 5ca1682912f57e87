import { AuthError, type RequestLine, ServiceError } from '../errors.ts'
import { endpoints, type OperationName, type Route } from './endpoints.ts'
import { fits } from './guards.ts'
import { parseJson, TooDeep } from './json.ts'
import type { Input, Output } from './operation.ts'
import type { Operations } from './operations.ts'
import { probeKey, refusal } from './refusal.ts'
import { type AnyInput, buildRequest, checkHint } from './request.ts'
import { createSend, type Policy } from './retry.ts'
import type { Transport, WireRequest } from './wire.ts'

/** An open way to a service, and the key it takes. */
export interface Access {
  transport: Transport
  apiKey: string
}

export interface ClientOptions {
  /** Ends with the version segment, `/v1`; no slash behind it. */
  baseUrl: string
  /** Called once, by the first request that is really sent. */
  open: () => Promise<Access>
  /**
   * Asked before every request, the probe for the key included; what it throws is thrown instead of sending. The request
   * has no `Authorization`: whoever looks at it or shows it sees no key.
   */
  beforeSend: (request: WireRequest) => Promise<void> | undefined
  userAgent: string
  policy: Policy
  /** Aborts whatever is under way. */
  interrupt?: AbortSignal
  /** Told of each exchange: for `--verbose`. Never sees a header. */
  onExchange?: (line: { method: string; url: string; status: number }) => void
}

/** An answer of the service: the bytes as they came, and what they mean. */
export interface Answer<T = unknown> {
  bytes: Uint8Array
  text: string
  value: T
}

export interface Client {
  /**
   * Calls an operation of the API.
   * @throws {ApiError | NotFoundError | AuthError} when the service refuses
   * @throws {NetworkError | UnknownOutcomeError} when no answer comes
   * @throws {ServiceError} when the service fails or its answer cannot be read
   */
  call<N extends OperationName>(name: N, input: Input<Operations[N]>): Promise<Answer<Output<Operations[N]>>>
  /** Sends any request below the base URL: for `meetroom api`. */
  request(endpoint: Route, input: AnyInput): Promise<Answer>
  /**
   * Finds out now, rather than with the first request, whether there is a service and a key to send with.
   * @throws {AuthError | UsageError} when there is none
   */
  ready(): Promise<void>
  /** Whether the service accepts the key (section 5), asked with the cheapest request there is. */
  keyWorks(): Promise<boolean>
}

/** A client of a Meeting Room Service. */
export function createClient(options: ClientOptions): Client {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let opening: Promise<Opened> | undefined
  let opened: Opened | undefined

  async function open(): Promise<Opened> {
    opening ??= options.open().then(({ transport, apiKey }) => ({
      headers: headersFor(apiKey, options.userAgent),
      send: createSend(transport, options.policy, options.interrupt),
    }))
    opened = await opening
    return opened
  }

  async function exchange(endpoint: Route, input: AnyInput) {
    const request = buildRequest(options.baseUrl, endpoint, input)
    const line = {
      method: request.method,
      path: request.url.slice(options.baseUrl.length),
    }
    const write = endpoint.method !== 'GET'
    const asked = options.beforeSend(request)
    if (asked) await asked
    const { send, headers } = opened ?? (await open())
    const answer = await send(
      { ...request, headers: { ...headers, ...request.headers } },
      {
        repeatable: endpoint.method !== 'POST' || endpoint.repeatable === true,
        write,
        check: () => checkHint(endpoint, input),
        line,
      },
    )
    options.onExchange?.({
      method: request.method,
      url: request.url,
      status: answer.status,
    })
    return { answer, line }
  }

  let probe: Promise<boolean> | undefined
  const keyWorks = () => {
    probe ??= exchange(endpoints.listRooms, { query: { limit: 1 } }).then(({ answer }) => probeKey(answer))
    return probe
  }

  async function request(endpoint: Route, input: AnyInput): Promise<Answer & { line: RequestLine }> {
    const { answer, line } = await exchange(endpoint, input)
    if (answer.status < 200 || answer.status > 299)
      throw await refusal({
        answer,
        line,
        endpoint,
        input,
        keyWorks,
        check: () => checkHint(endpoint, input),
      })
    try {
      const text = decoder.decode(answer.body)
      return { bytes: answer.body, text, value: parseJson(text), line }
    } catch (cause) {
      throw unreadable(answer.headers['content-type'], line, options.baseUrl, cause)
    }
  }

  return {
    async call(name, input) {
      const answer = await request(endpoints[name], input as AnyInput)
      if (!fits(name, answer.value)) {
        const { explainMismatch } = await import('./validate.ts')
        const problem = explainMismatch(name, answer.value)
        throw new ServiceError(`the service’s answer does not match its contract: ${problem}`, {
          request: answer.line,
          body: answer.value,
        })
      }
      return answer as Answer<Output<Operations[typeof name]>>
    },
    request,
    ready: async () => void (await open()),
    keyWorks,
  }
}

interface Opened {
  send: ReturnType<typeof createSend>
  headers: Readonly<Record<string, string>>
}

/** @throws {AuthError} for a key that no header can carry */
function headersFor(apiKey: string, userAgent: string): Readonly<Record<string, string>> {
  // The HTTP library quotes a header value that it refuses in its error, and this one holds the key.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new AuthError('the API key contains a space, a line break or a character that no key can have', {
      hint: 'look at MEETROOM_API_KEY, or store it again with: meetroom auth login',
    })
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
  }
}

function unreadable(
  contentType: string | undefined,
  request: { method: string; path: string },
  baseUrl: string,
  cause: unknown,
) {
  const type = contentType?.split(';')[0]
  const notJson = type && !type.includes('json') ? `it is ${type}, not JSON` : 'it is not valid JSON'
  const what = cause instanceof TooDeep ? `it is ${cause.message}` : notJson
  return new ServiceError(`the service’s answer cannot be read: ${what}`, {
    hint: `is ${baseUrl} the address of a Meeting Room Service? It ends with the version, as in https://host/v1`,
    request,
  })
}
