import { unknownOperation } from '../api/vocabulary.ts'
import {
  ApiError,
  AuthError,
  type MeetroomError,
  ServiceError,
  suggest,
  UnknownOutcomeError,
} from '../errors.ts'
import { errorWords } from './error-message.ts'
import type { ErrorResponse, ParsedErrorResponse } from './error-response.ts'
import { findMissingResource } from './missing-resource.ts'
import { gaveUpStatuses } from './retry.ts'

/**
 * Converts an error response to an error. Status 400 covers bad parameters and bad keys; a probe distinguishes them.
 */
export async function toResponseError(refused: ErrorResponse): Promise<MeetroomError> {
  const { answer, line, endpoint } = refused
  const words = errorWords(answer)
  const details = {
    status: answer.status,
    request: line,
    body: words.body,
    retryAfter: answer.headers['retry-after'],
    afterLostAttempt: answer.afterLostAttempt && endpoint.method !== 'GET',
  }
  const said = words.message ? `: ${words.message}` : ''
  const error = await describe({ ...refused, words, said, details })
  const { status } = answer
  // A refusal also applies to the earlier attempt; a busy service says nothing about it.
  if (!details.afterLostAttempt || !(status === 429 || status > 500) || error instanceof UnknownOutcomeError)
    return error
  return new UnknownOutcomeError(
    `${error.message}; an earlier attempt got no answer and may have ${endpoint.method === 'DELETE' ? 'deleted it' : 'made the change'}`,
    { ...details, hint: refused.check(), cause: error },
  )
}

async function describe(refusal: ParsedErrorResponse): Promise<MeetroomError> {
  const { answer, said, details } = refusal
  const { status } = details
  if (status < 400) return createRedirectError(refusal)
  if (status >= 500) return failed(refusal)
  if (status === 401 || ((status === 400 || status === 403) && !(await isKeyFine(refusal))))
    return new AuthError(`the service refuses the API key (${status})${said}`, {
      ...details,
      hint: ['see which key is used with: ', suggest(['auth', 'status'])],
    })
  const missing = await findMissingResource(refusal)
  if (missing) return missing
  const retryAfter = status === 429 ? answer.headers['retry-after'] : undefined
  return new ApiError(`the service refuses the request (${status})${said}`, {
    ...details,
    retryable: status === 429 || status === 408,
    hint:
      status === 403
        ? 'the API key works, but not for this'
        : retryAfter &&
          `it asks you to wait ${/^\d+$/.test(retryAfter) ? `${retryAfter} s` : `until ${retryAfter}`}`,
  })
}

function createRedirectError({ answer, details }: ParsedErrorResponse): MeetroomError {
  const { location } = answer.headers
  return new ServiceError(
    `the service answered with a redirect (${details.status}), and redirects are not followed`,
    { ...details, hint: location && `it points to ${location}` },
  )
}

function failed({ endpoint, words, said, details, check }: ParsedErrorResponse): MeetroomError {
  const { status } = details
  // The API specification's “validation exception” has JSON; a 500 without JSON is a failure.
  if (status === 500 && words.isJson)
    return new ApiError(`the service reports a validation exception (500)${said}`, {
      ...details,
      hint: 'in this API, 500 means that the request was invalid; sending it again will not help',
    })
  if (endpoint.method !== 'GET' && gaveUpStatuses.has(status))
    return new UnknownOutcomeError(
      `the service failed (${status})${said}; whether the change was made is not known`,
      { ...details, hint: check() },
    )
  return new ServiceError(`the service failed (${status})${said}`, { ...details, retryable: true })
}

async function isKeyFine(refusal: ParsedErrorResponse): Promise<boolean> {
  const { words, details, probe, probeAfterDenial } = refusal
  const isDenial = details.status === 403
  // A specific error code makes the probe unnecessary.
  if (!isDenial && ['not_found', 'invalid_parameters', unknownOperation].includes(words.code ?? ''))
    return true
  if (!isDenial && words.code === 'unauthorized') return false
  try {
    return (await (isDenial ? probeAfterDenial() : probe())).keyWorks
  } catch {
    return true
  }
}
