import type { Route } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { listNames, plural } from '../api/plural.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import {
  type ErrorDetails,
  type Hint,
  type MeetroomError,
  NotFoundError,
  type RequestLine,
  suggest,
  UnknownOutcomeError,
  WrongBaseUrlError,
} from '../errors.ts'
import type { ErrorDescription } from './error-message.ts'
import { explainBaseUrl } from './no-response.ts'
import type { ProbeResult } from './probe.ts'
import type { AnyInput } from './request.ts'
import type { FinalResponse } from './retry.ts'

export interface ErrorResponse {
  response: FinalResponse
  line: RequestLine
  endpoint: Route
  input: AnyInput
  baseUrl: string
  /** Advice on a refused key; undefined for the default advice. */
  keyHint: Hint | undefined
  probe: () => Promise<ProbeResult>
  probeAfterDenial: () => Promise<ProbeResult>
  userExists: (user_id: string) => Promise<boolean>
  check: () => Hint
}

export interface ParsedErrorResponse extends ErrorResponse {
  description: ErrorDescription
  /** Message of the service after a colon; empty without a message. */
  message: string
  details: ErrorDetails & { status: number; request: RequestLine }
}

/** Returns the error for a missing resource or a wrong base URL; undefined for any other refusal. */
export async function findMissingResource(refusal: ParsedErrorResponse): Promise<MeetroomError | undefined> {
  const { endpoint, response, input, description, details, probe, check } = refusal
  const { status } = details
  const absence = judgeAbsence(status, description.code, input)
  const isUnknown = absence === 'operation'
  const isNotFound = absence === 'resource'
  // An earlier attempt of this command may have deleted the item.
  if (isNotFound && endpoint.method === 'DELETE' && response.afterLostAttempt)
    return new UnknownOutcomeError(
      'the item no longer exists, but an earlier attempt got no response and may have deleted it',
      { ...details, hint: check(), isFinal: true, isGone: true },
    )
  // Web servers also send 404 for unknown paths, so a probe checks the base URL.
  if ((isNotFound || isUnknown) && !(await probe()).isService) return explainWrongBaseUrl(refusal)
  // The user of `meetroom api` chooses the path, so an unknown path counts as not found.
  if (isUnknown && status === 400) return isOwnPath(endpoint) ? createNotFoundError(refusal) : undefined
  if (!isNotFound && status !== 400) return undefined
  const user = await findMissingUser(refusal)
  if (user !== undefined) return new UnknownUserError([user], details)
  return isNotFound ? createNotFoundError(refusal) : undefined
}

export function judgeAbsence(status: number, code: string | undefined, input: AnyInput) {
  if (status === 405 || (status === 400 && code === unknownOperation)) return 'operation'
  // A read with a 2xx status returned null instead of the item.
  if (status < 300 || status === 404 || status === 410) return 'resource'
  return status === 400 && (code === 'not_found' || isOnlyIds(input)) ? 'resource' : undefined
}

/** Returns true if a request consists of IDs only, so that nothing else can be invalid. */
function isOnlyIds({ params, query, body }: AnyInput): boolean {
  const hasQuery = Object.values(query ?? {}).some((value) => value !== undefined)
  return params !== undefined && body === undefined && !hasQuery
}

function explainWrongBaseUrl({ baseUrl, details }: ParsedErrorResponse): MeetroomError {
  const text = `${baseUrl} does not respond as a Meeting Room Service`
  return new WrongBaseUrlError(text, { ...details, hint: explainBaseUrl(baseUrl) })
}

const maxLookups = 5

async function findMissingUser({ input, userExists }: ParsedErrorResponse): Promise<string | undefined> {
  const body = isRecord(input.body) ? input.body : {}
  const members = Array.isArray(body['members']) ? body['members'] : []
  // A request without params may create the user in its body.
  const named = input.params ? [body, ...members] : members
  for (const { user_id } of named.filter(isRecord).slice(0, maxLookups))
    if (typeof user_id === 'string' && !(await userExists(user_id))) return user_id
  return undefined
}

const isOwnPath = ({ id }: Route) => id.startsWith('api.')

function createNotFoundError(refusal: ParsedErrorResponse): NotFoundError {
  const { endpoint, input, description, message, details, baseUrl } = refusal
  const params = Object.entries(input.params ?? {})
  if (params.length === 0) {
    // Services have the paths of most operations, so the base URL is probably wrong.
    const hint = isOwnPath(endpoint) ? undefined : explainBaseUrl(baseUrl)
    const text = `the service does not know ${details.request.path}${message}`
    return new NotFoundError(text, { ...details, hint })
  }
  const things = params.map(([name]) => (name === 'id' ? 'room' : name.replace('_id', '')))
  const ids = params.map(([, id]) => id)
  // The message of the embedded service would repeat this error.
  const more = /^no such \w+$/.test(description.message ?? '') ? '' : message
  return new NotFoundError(`no such ${things.join(' or ')}: ${ids.join(' ')}${more}`, {
    ...details,
    hint: things.includes('delivery')
      ? ['list the deliveries with: ', suggest(['webhooks', 'deliveries'])]
      : things.includes('member')
        ? listHint('members', input.params?.['room_id'] ?? '')
        : listHint(`${things[0]}s`),
  })
}

/** Error for missing users. Suggests creating the first user if its text resembles an ID. */
export class UnknownUserError extends NotFoundError {
  constructor(
    readonly users: readonly [string, ...string[]],
    details: ErrorDetails = {},
  ) {
    const [user] = users
    const list = listHint('users')
    // A name or an email address probably identifies a user with another ID.
    const hint = /^[\w.-]+$/.test(user)
      ? [list, '; or create the user with: ', suggest(['users', 'create'], user)]
      : list
    super(`no such ${plural(users.length, 'user')}: ${listNames(users, 20)}`, { ...details, hint })
  }
}

function listHint(group: string, ...operands: readonly string[]): Hint {
  return [`list the ${group} with: `, suggest([group, 'list'], ...operands)]
}
