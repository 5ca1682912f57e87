import {
  ApiError,
  AuthError,
  type MeetroomError,
  NotFoundError,
  type RequestLine,
  ServiceError,
  UnknownOutcomeError,
} from '../errors.ts'
import { defined } from './defined.ts'
import type { Route } from './endpoints.ts'
import { parseJson } from './json.ts'
import type { AnyInput } from './request.ts'
import type { Reply } from './retry.ts'
import type { WireResponse } from './wire.ts'

interface Refusal {
  answer: Reply
  line: RequestLine
  endpoint: Route
  input: AnyInput
  keyWorks: () => Promise<boolean>
  check: () => string | undefined
}

/** Whether the answer to the cheapest request there is shows that the key is accepted. Anything unclear counts as yes. */
export function probeKey(answer: WireResponse): boolean {
  return ![400, 401, 403].includes(answer.status)
}

/**
 * Turns an answer that is not a success into the error that describes it (section 7). The document gives 400 to bad
 * parameters and to bad keys alike; one cheap question, asked once per run, tells them apart.
 */
export async function refusal(refused: Refusal): Promise<MeetroomError> {
  const error = await describe(refused)
  const { answer, endpoint, check } = refused
  const { status, request, body, retryAfter, afterLostAttempt } = error
  // What cannot be done would not have been done before; being busy says nothing of the attempt before.
  if (!afterLostAttempt || !(answer.status === 429 || answer.status > 500)) return error
  return new UnknownOutcomeError(
    `${error.message}; an earlier attempt got no answer and may have ${endpoint.method === 'DELETE' ? 'deleted it' : 'made the change'}`,
    { status, request, body, retryAfter, afterLostAttempt, hint: check(), cause: error },
  )
}

async function describe({ answer, line, endpoint, input, keyWorks, check }: Refusal): Promise<MeetroomError> {
  const { status } = answer
  const { code, message, body } = readError(answer)
  const said = message ? `: ${message}` : ''
  const details = {
    status,
    request: line,
    body,
    retryAfter: answer.headers['retry-after'],
    afterLostAttempt: answer.afterLostAttempt && endpoint.method !== 'GET',
  }

  if (status >= 300 && status < 400)
    return new ServiceError(
      `the service answered with a redirect (${status}), and redirects are not followed`,
      {
        ...details,
        hint: answer.headers['location'] ? `it points to ${answer.headers['location']}` : undefined,
      },
    )
  if (status === 500)
    return new ServiceError(`the service reports a validation exception (500)${said}`, {
      ...details,
      hint: 'by its document, 500 means that the request breaks a rule; sending it again will not help',
    })
  if (status > 500) {
    const mayHaveActed = endpoint.method !== 'GET' && (status === 502 || status === 504)
    return new ServiceError(`the service failed (${status})${said}`, {
      ...details,
      retryable: true,
      hint: mayHaveActed
        ? ['the change may have been made all the same', check()].filter(Boolean).join('; ')
        : undefined,
    })
  }
  if (status === 401 || status === 403 || (status === 400 && !(await keyIsFine(code, keyWorks))))
    return new AuthError(`the service refuses the API key (${status})${said}`, {
      ...details,
      hint: 'see which key is used with: meetroom auth status',
    })
  if (
    status === 404 ||
    status === 410 ||
    (status === 400 && (code === 'not_found' || onlyNamesThings(input)))
  )
    return notFound(endpoint, input, answer, code === 'not_found' ? '' : said, details, check)
  return new ApiError(`the service refuses the request (${status})${said}`, {
    ...details,
    retryable: status === 429 || status === 408,
    hint:
      status === 429 && answer.headers['retry-after']
        ? `it asks to wait ${answer.headers['retry-after']} s`
        : undefined,
  })
}

async function keyIsFine(code: string | undefined, keyWorks: () => Promise<boolean>): Promise<boolean> {
  // A service that says what is wrong saves the question.
  if (code === 'not_found' || code === 'invalid_parameters') return true
  if (code === 'unauthorized') return false
  try {
    return await keyWorks()
  } catch {
    return true
  }
}

/** A request that carries nothing but ids can be refused for nothing but its ids. */
function onlyNamesThings(input: AnyInput): boolean {
  const hasQuery = Object.values(input.query ?? {}).some((value) => value !== undefined)
  return input.params !== undefined && input.body === undefined && !hasQuery
}

function notFound(
  endpoint: Route,
  input: AnyInput,
  answer: Reply,
  said: string,
  details: { status: number; request: RequestLine; body: unknown },
  check: () => string | undefined,
): MeetroomError {
  // Whoever asked for a deletion wants to know whether it was theirs; after a lost attempt nobody can say.
  if (endpoint.method === 'DELETE' && answer.afterLostAttempt)
    return new UnknownOutcomeError(
      'it is gone, but an earlier attempt got no answer and may have deleted it',
      {
        ...details,
        hint: check(),
      },
    )
  const params = Object.entries(input.params ?? {})
  const things = params.map(([name]) => (name === 'id' ? 'room' : name.replace('_id', '')))
  if (things.length === 0) return new NotFoundError(`no such thing: ${details.request.path}${said}`, details)
  const room = input.params?.['room_id']
  const list = things.includes('member') ? `members list ${room}` : `${things[0]}s list`
  return new NotFoundError(`no such ${things.join(' or ')}: ${params.map(([, id]) => id).join(' ')}${said}`, {
    ...details,
    hint: `see what there is with: meetroom ${list}`,
  })
}

/** Looks for a code and a message in the places where services put them: the document does not say (section 7). */
function readError(answer: WireResponse): {
  code?: string
  message?: string
  body: unknown
} {
  const text = new TextDecoder().decode(answer.body)
  let body: unknown
  try {
    body = parseJson(text)
  } catch {
    return { body: text }
  }
  const outer = asRecord(body)
  const inner = asRecord(outer['error'])
  const errors = Array.isArray(outer['errors']) ? asRecord(outer['errors'][0]) : {}
  const message = [inner['message'], outer['message'], errors['message'], outer['error']].find(
    (candidate): candidate is string => typeof candidate === 'string' && candidate !== '',
  )
  const code = [inner['code'], outer['code'], errors['code']].find(
    (candidate) => typeof candidate === 'string',
  )
  return { body, ...defined({ code, message }) }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
