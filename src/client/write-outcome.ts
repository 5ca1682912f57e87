import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { findResponseProblem, getIdField, isRecord } from '../api/guards.ts'
import { isScalar, readResponseValue } from '../api/json.ts'
import { parseBoolean } from '../api/readings.ts'
import { resources } from '../api/resources.ts'
import { toText } from '../api/to-text.ts'
import { type Change, compareItem, type Differences } from './differences.ts'
import type { ParsedResponse } from './parsed-response.ts'
import type { AnyInput } from './request.ts'

type Item = Readonly<Record<string, unknown>>

export type WriteOutcome =
  | {
      status: 'done'
      isShown: boolean
      hasError: boolean
      changes: readonly Change[]
    }
  | { status: 'refused' }
  | {
      status: 'not applied'
      contradictions: readonly string[]
      /** ID of an item that the service created although its response contradicts the request. */
      createdId: string | undefined
    }
  | { status: 'unknown'; problem: string; accepted: boolean }

/** Determines the outcome of a write from its 2xx response. The status alone proves nothing. */
export function judgeWrite(
  name: OperationName | undefined,
  input: AnyInput,
  received: ParsedResponse,
): WriteOutcome {
  const endpoint: Endpoint | undefined = name && endpoints[name]
  const assignsId = endpoint !== undefined && isIdAssignedByService(endpoint)
  const unknown = (problem: string) => ({ status: 'unknown', problem, accepted: assignsId }) as const
  if (received.isEmpty && !assignsId) return acknowledgedOutcome
  if (received.problem !== undefined) return unknown(received.problem)
  if (!isRecord(received.value)) return unknown('it is not an object')
  const body = readResponseValue(received) as Item
  if (parseBoolean(body['ok']) === false || parseBoolean(body['success']) === false)
    return { status: 'refused' }
  const hasError = isError(body['error']) || isError(body['errors'])
  const items = endpoint && readItems(endpoint, input, body, hasError)
  if (hasError && !items) return { status: 'refused' }
  if (!name || !endpoint) return acknowledgedOutcome
  const missing = assignsId ? findResponseProblem(name, received.value) : undefined
  if (missing !== undefined) return unknown(missing)
  if (!items)
    return isAcknowledgment(body) ? acknowledgedOutcome : unknown(`it does not show the ${endpoint.resource}`)
  return compareItems(endpoint, input, items, hasError)
}

const acknowledgedOutcome = { status: 'done', isShown: false, hasError: false, changes: [] } as const

function isIdAssignedByService({ method, repeatable, bare }: Endpoint): boolean {
  return method === 'POST' && !repeatable && !bare
}

/** Returns true for `{}`, `{"ok":true}` and `{"success":true}`. */
function isAcknowledgment(body: Item): boolean {
  return (
    Object.keys(body).length === 0 ||
    parseBoolean(body['ok']) === true ||
    parseBoolean(body['success']) === true
  )
}

/** Returns true when the value of `error` or `errors` reports an error. Many services always send these fields. */
function isError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isError)
  if (isRecord(value) && !isScalar(value)) return Object.values(value).some(isError)
  if (typeof value === 'string' && value.trim() === '') return false
  return value !== undefined && value !== null && parseBoolean(value) !== false
}

function readItems(
  { result, many, bare }: Endpoint,
  { body }: AnyInput,
  response: Item,
  hasError: boolean,
): readonly Item[] | undefined {
  const found = response[result]
  if (many) return Array.isArray(found) ? found.filter(isRecord) : undefined
  if (!bare) return isRecord(found) ? [found] : undefined
  if (found === undefined || found === null) return undefined
  // In a response with an error, “message” usually describes the error.
  const isSent = isRecord(body) && toText(body[result]) === toText(found)
  return hasError && !isSent ? undefined : [response]
}

function compareItems(
  endpoint: Endpoint,
  input: AnyInput,
  items: readonly Item[],
  hasError: boolean,
): WriteOutcome {
  const bodies = endpoint.many && Array.isArray(input.body) ? input.body : [input.body]
  if (items.length < bodies.length)
    return {
      status: 'unknown',
      problem: `it shows ${items.length} of ${bodies.length} ${resources[endpoint.resource].plural}`,
      accepted: isIdAssignedByService(endpoint),
    }
  const found: Differences = { contradictions: [], changes: [] }
  // In a list that is longer than the request, the new items cannot be identified.
  if (items.length === bodies.length)
    for (const [i, item] of items.entries())
      compareItem(endpoint, endpoint.many ? { ...input, body: bodies[i] } : input, item, found)
  const { contradictions, changes } = found
  if (contradictions.length === 0) return { status: 'done', isShown: true, hasError, changes }
  const [first] = items
  const id = isIdAssignedByService(endpoint) && !endpoint.many ? first?.[getIdField(endpoint)] : undefined
  return { status: 'not applied', contradictions, createdId: id === undefined ? undefined : toText(id) }
}
