import type { Route } from '../api/endpoints.ts'
import { describeSurplus } from '../api/key-surplus.ts'
import type { Transport, WireRequest } from '../api/wire.ts'
import { AuthError, type Hint, type RequestLine, suggest, UnknownOutcomeError } from '../errors.ts'
import type { AuditTrail } from './audit-trail.ts'
import { diagnose } from './no-response.ts'
import { type AnyInput, buildRequest, checkHint } from './request.ts'
import { createSend, type FinalResponse, type Policy } from './retry.ts'
import { isRepeatable } from './retry-policy.ts'

export interface ExchangeOptions {
  /** Base URL without a trailing slash. */
  baseUrl: string
  /** Runs at most once, before the first request is sent. */
  open: () => Promise<{ transport: Transport; apiKey: string }>
  /** Runs before every request, including probes, but not before retries. A rejection cancels the request. */
  beforeSend: (request: WireRequest) => Promise<void> | undefined
  userAgent: string
  /** Advice on a refused key; undefined for the default advice. */
  keyHint?: Hint | undefined
  policy: Policy
  interrupt?: AbortSignal
  cancelUnsent?: AbortSignal
  onWrite?: (write: Promise<unknown>) => void
}

export interface ExchangeResult {
  response: FinalResponse
  line: RequestLine
  /** Module that judges writes; undefined for a read. */
  writes: typeof import('./judged-write.ts') | undefined
}

export type Exchange = ReturnType<typeof createExchange>['exchange']

export function createExchange(options: ExchangeOptions) {
  const { baseUrl } = options
  const openOnce = async () => {
    const { transport, apiKey } = await options.open()
    return { headers: createHeaders(apiKey, options), send: createSend(transport, options.policy, options) }
  }
  let opening: ReturnType<typeof openOnce> | undefined
  const open = () => (opening ??= openOnce())
  let judges: ExchangeResult['writes']

  /** @param onUnknown settles a write whose outcome is unknown */
  async function exchange<T>(
    endpoint: Route,
    input: AnyInput,
    trail: AuditTrail | undefined,
    conclude: (result: ExchangeResult) => T | Promise<T>,
    onUnknown?: (error: UnknownOutcomeError) => Promise<T>,
  ): Promise<T> {
    const request = buildRequest(baseUrl, endpoint, input)
    const { method, url } = request
    const line = { method, path: url.slice(baseUrl.length) }
    const write = endpoint.method !== 'GET'
    await options.beforeSend(request)
    const { send, headers } = await open()
    // Loads the module before the request, so that a load error cannot follow a write.
    if (write) judges ??= await import('./judged-write.ts')
    await trail?.begin(request)
    const { authorization } = headers
    try {
      const sent = send(
        { ...request, headers: { ...headers, ...request.headers, authorization } },
        {
          ...{ repeatable: isRepeatable(endpoint), write, line },
          diagnose: (cause) => diagnose(baseUrl, cause),
          check: () => checkHint(endpoint, input),
        },
      )
      if (write) options.onWrite?.(sent)
      const response = await sent
      trail?.recordResponse(response.status)
      return await conclude({ response, line, writes: write ? judges : undefined })
    } catch (error) {
      if (onUnknown && error instanceof UnknownOutcomeError) return onUnknown(error)
      throw error
    }
  }

  return { open, exchange }
}

function createHeaders(apiKey: string, { userAgent, keyHint }: ExchangeOptions) {
  // The HTTP library would quote a refused key in its error.
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new AuthError(
      `the API key contains ${describeSurplus(apiKey) ?? 'a character that is not allowed in a key'}`,
      { hint: keyHint ?? ['store the key again with: ', suggest(['auth', 'login'])] },
    )
  return {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'accept-encoding': 'gzip, br',
    'user-agent': userAgent,
  }
}
