import { endpoints, type Route } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { matchOperation } from '../api/match-operation.ts'
import { parseBoolean } from '../api/readings.ts'
import { IncompleteError, type RequestLine, ServiceError } from '../errors.ts'
import type { ExchangeResult } from './exchange.ts'
import { explainBaseUrl } from './no-response.ts'
import { type ParsedResponse, quoteBody } from './parsed-response.ts'

type Body = Readonly<Record<string, unknown>>

const errorFields = ['ok', 'success', 'error', 'errors', 'status', 'statusCode']
const partialFields = ['partial', 'is_partial', 'incomplete', 'incomplete_results', 'timed_out']

/** Returns true if a field may report a problem. Avoids loading `verdict.ts` in most runs. */
export function mayReportProblem({ value }: ParsedResponse): boolean {
  if (!isRecord(value)) return false
  return errorFields.some((field) => Object.hasOwn(value, field)) || isPartial(value)
}

/**
 * @throws {ServiceError} if the response reports an error without items, or outside `error` and `errors`
 * @throws {IncompleteError} if the response has items beside such a field, or is only marked as partial
 */
export async function requireUsableRead(
  endpoint: Route,
  { response, line }: Pick<ExchangeResult, 'response' | 'line'>,
  received: ParsedResponse,
): Promise<void> {
  const body = received.value as Body
  const { reportsError } = await import('./verdict.ts')
  const { error: _, errors: __, ...others } = body
  const hasError = reportsError(body)
  if (!hasError && !isPartial(body)) return
  const { describeErrorResponse } = await import('./error-message.ts')
  const { message } = hasError ? describeErrorResponse(response) : {}
  const reason = message === undefined ? '' : `: ${message}`
  const { status } = received
  const details = { status, request: line, body: quoteBody(received) }
  if (hasError && (reportsError(others) || !showsItems(endpoint, others)))
    throw new ServiceError(`the service reports an error (${status})${reason}`, details)
  const text = `the service reports an incomplete response${reason}`
  throw new IncompleteError(text, { ...details, retryable: true })
}

function isPartial(body: Body): boolean {
  const places = [body, body['paging'], body['meta']].filter(isRecord)
  return places.some((place) => partialFields.some((field) => parseBoolean(place[field]) === true))
}

function showsItems({ method, path }: Route, body: Body): boolean {
  const { name } = matchOperation(method, path) ?? {}
  const lists = name === undefined ? Object.values(body) : [body[endpoints[name].result]]
  return lists.some((list) => Array.isArray(list) && list.length > 0)
}

export function unreadableError(
  problem: string,
  received: ParsedResponse,
  request: RequestLine,
  baseUrl: string,
): ServiceError {
  return new ServiceError(`the service’s response cannot be read: ${problem}`, {
    hint: isRecord(received.value) ? undefined : explainBaseUrl(baseUrl),
    status: received.status,
    request,
    body: quoteBody(received),
  })
}
