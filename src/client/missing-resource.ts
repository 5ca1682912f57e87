import type { Route } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { unknownOperation } from '../api/vocabulary.ts'
import {
  type Hint,
  type MeetroomError,
  NotFoundError,
  suggest,
  UnknownOutcomeError,
  WrongBaseUrlError,
} from '../errors.ts'
import type { ParsedErrorResponse } from './error-response.ts'
import type { AnyInput } from './request.ts'

/** The error for a refusal (4xx) that says something does not exist; undefined when it says something else. */
export async function findMissingResource(refusal: ParsedErrorResponse): Promise<MeetroomError | undefined> {
  const { endpoint, answer, input, words, details, standing, check } = refusal
  const { status } = details
  const isUnknown = status === 405 || (status === 400 && words.code === unknownOperation)
  const saysSo = status === 400 && words.code === 'not_found'
  const isNotFound =
    !isUnknown && (saysSo || status === 404 || status === 410 || (status === 400 && isOnlyIds(input)))
  // The caller wants to know whether this command deleted it; after a lost attempt there is no way to tell.
  if (isNotFound && endpoint.method === 'DELETE' && answer.afterLostAttempt)
    return new UnknownOutcomeError(
      'it is gone, but an earlier attempt got no answer and may have deleted it',
      { ...details, hint: check() },
    )
  // Any web server answers like this to what it does not know, and the embedded service to a path beside the API.
  if ((isNotFound || isUnknown) && !(await standing()).isService) return wrongBaseUrl(refusal)
  // Paths of “meetroom api” are the caller’s: one that the service does not know is not there.
  if (isUnknown && status === 400) return isOwnPath(endpoint) ? notFound(refusal) : undefined
  if (!isNotFound && status !== 400) return undefined
  const user = await missingUser(refusal)
  if (user !== undefined)
    return new NotFoundError(`no such user: ${user}`, { ...details, hint: listHint('users') })
  if (!isNotFound) return undefined
  return notFound(refusal)
}

/** A request that carries only ids can only be refused because of its ids. */
function isOnlyIds({ params, query, body }: AnyInput): boolean {
  const hasQuery = Object.values(query ?? {}).some((value) => value !== undefined)
  return params !== undefined && body === undefined && !hasQuery
}

const baseUrlHint = 'a base URL ends with the version, as in https://meet.example.com/v1'

function wrongBaseUrl({ baseUrl, details }: ParsedErrorResponse): MeetroomError {
  return new WrongBaseUrlError(
    `is ${baseUrl} the base URL of a Meeting Room Service? It does not answer as one`,
    { ...details, hint: baseUrlHint },
  )
}

/** Number of users of a body that are looked up. */
const mostLookedUp = 5

/** A body that names users may be refused because one of them does not exist: one request for each tells. */
async function missingUser({ input, userExists }: ParsedErrorResponse): Promise<string | undefined> {
  const body = isRecord(input.body) ? input.body : {}
  const members = Array.isArray(body['members']) ? body['members'] : []
  // The user of a request to create one is not expected to exist.
  const named = input.params ? [body, ...members] : members
  for (const { user_id } of named.filter(isRecord).slice(0, mostLookedUp))
    if (typeof user_id === 'string' && !(await userExists(user_id))) return user_id
  return undefined
}

/** Whether the caller chose the path: with “meetroom api”. */
function isOwnPath({ id }: Route): boolean {
  return id.startsWith('api.')
}

/** Something that the path names does not exist. */
function notFound({ endpoint, input, words, said, details }: ParsedErrorResponse): NotFoundError {
  const params = Object.entries(input.params ?? {})
  if (params.length === 0) {
    // Every service knows what the API lists; a path of “meetroom api” may be anything.
    const hint = isOwnPath(endpoint) ? undefined : baseUrlHint
    return new NotFoundError(`the service does not know ${details.request.path}${said}`, { ...details, hint })
  }
  const things = params.map(([name]) => (name === 'id' ? 'room' : name.replace('_id', '')))
  const ids = params.map(([, id]) => id)
  // The embedded service says it in the same words.
  const more = /^no such \w+$/.test(words.message ?? '') ? '' : said
  return new NotFoundError(`no such ${things.join(' or ')}: ${ids.join(' ')}${more}`, {
    ...details,
    hint: things.includes('member')
      ? listHint('members', input.params?.['room_id'] ?? '')
      : listHint(`${things[0]}s`),
  })
}

function listHint(group: string, ...operands: readonly string[]): Hint {
  return ['list what exists with: ', suggest([group, 'list'], ...operands)]
}
