import { isRecord } from '../api/guards.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import {
  ApiError,
  AuthError,
  type MeetroomError,
  ServiceError,
  suggest,
  UnknownOutcomeError,
} from '../errors.ts'
import { describeErrorResponse, readResponseCode } from './error-message.ts'
import {
  type ErrorResponse,
  findMissingResource,
  judgeAbsence,
  type ParsedErrorResponse,
} from './missing-resource.ts'
import { diagnosis } from './no-response.ts'
import { mayHaveActed } from './retry-policy.ts'

/** Converts an error response to an error. May send more requests to find the cause. */
export async function toResponseError(refused: ErrorResponse): Promise<MeetroomError> {
  const { response, line, endpoint } = refused
  const words = describeErrorResponse(response)
  const details = {
    status: response.status,
    request: line,
    body: words.body,
    retryAfter: response.headers['retry-after'],
    requestId: readRequestId(response.headers['x-request-id']),
  }
  const message = words.message ? `: ${words.message}` : ''
  const error = await describe({ ...refused, description: words, message, details })
  // A refusal does not disprove the effect of an earlier attempt.
  const mayBeDone = response.afterLostAttempt && endpoint.method !== 'GET'
  if (!mayBeDone || error instanceof UnknownOutcomeError) return error
  return new UnknownOutcomeError(
    `${error.message}; an earlier attempt got no response and may have ${endpoint.method === 'DELETE' ? 'deleted it' : 'made the change'}`,
    { ...details, hint: refused.check(), cause: error },
  )
}

function readRequestId(id: string | undefined): string | undefined {
  return id !== undefined && /^[\x21-\x7e]{1,200}$/.test(id) ? id : undefined
}

/**
 * Returns true if a refusal proves that the item does not exist. Avoids a NotFoundError, which takes half the
 * CPU time of a request.
 */
export async function isMissingItem(refused: ErrorResponse): Promise<boolean> {
  const { response, input, probe } = refused
  const { status } = response
  const code = status === 400 ? readResponseCode(response) : undefined
  if (judgeAbsence(status, code, input) !== 'resource') return false
  return (status !== 400 || (await isKeyFine(refused, code))) && (await probe()).isService
}

async function describe(refusal: ParsedErrorResponse): Promise<MeetroomError> {
  const { response, description, message, details } = refusal
  const { status } = details
  if (isDoubtful(refusal)) return createDoubtError(refusal)
  if (status >= 300 && status < 400) return createRedirectError(refusal)
  if (status >= 500) return failed(refusal)
  if (status === 401 || ((status === 400 || status === 403) && !(await isKeyFine(refusal, description.code))))
    return new AuthError(`the service refuses the API key (${status})${message}`, {
      ...details,
      hint: refusal.keyHint ?? ['show the key in use with: ', suggest(['auth', 'status'])],
    })
  const missing = await findMissingResource(refusal)
  if (missing) return missing
  const retryAfter = status === 429 ? response.headers['retry-after'] : undefined
  return new ApiError(`the service refuses the request (${status})${message}`, {
    ...details,
    retryable: status === 429 || status === 408,
    hint:
      status === 403
        ? 'the API key is valid, but lacks permission for this request'
        : retryAfter &&
          `the service asks you to wait ${/^\d+$/.test(retryAfter) ? `${retryAfter} s` : `until ${retryAfter}`}`,
  })
}

function createRedirectError({ response, details }: ParsedErrorResponse): MeetroomError {
  const { location } = response.headers
  return new ServiceError(
    `the service responded with a redirect (${details.status}), and redirects are not followed`,
    { ...details, hint: location && `the redirect points to ${location}` },
  )
}

/** Returns true if the service may have made the change although the response is an error. */
function isDoubtful({ endpoint, description, details }: ParsedErrorResponse): boolean {
  const { status, retryAfter } = details
  // `meetroom serve` and `--local` send this code only if nothing was changed.
  const isUnchanged = status === 503 && description.code === 'storage'
  return (
    endpoint.method !== 'GET' && !isUnchanged && mayHaveActed(status, isRecord(description.body), retryAfter)
  )
}

function createDoubtError({ message, details, check }: ParsedErrorResponse): UnknownOutcomeError {
  const { status } = details
  const what =
    status < 400 ? 'responded with a redirect' : status < 500 ? 'timed out waiting for the request' : 'failed'
  return new UnknownOutcomeError(
    `the service ${what} (${status})${message}; the outcome of the change is unknown`,
    { ...details, hint: check() },
  )
}

function failed({ description, message, details }: ParsedErrorResponse): MeetroomError {
  const { status } = details
  // A 500 with JSON is a “validation exception” (API specification, “Errors”); other 500s are failures.
  if (status === 500 && description.isJson)
    return new ApiError(`the service reports a validation exception (500)${message}`, {
      ...details,
      hint: 'fix the request: in this API, 500 means that it is invalid',
    })
  const hint = status === 502 || status === 504 ? diagnosis : undefined
  return new ServiceError(`the service failed (${status})${message}`, { ...details, hint, retryable: true })
}

async function isKeyFine(refused: ErrorResponse, code = ''): Promise<boolean> {
  const { response, probe, probeAfterDenial } = refused
  const isDenial = response.status === 403
  // These error codes show that the key is valid, so no probe is needed.
  if (!isDenial && ['not_found', 'invalid_parameters', unknownOperation].includes(code)) return true
  if (!isDenial && code === 'unauthorized') return false
  try {
    return (await (isDenial ? probeAfterDenial() : probe())).isKeyValid
  } catch {
    return true
  }
}
