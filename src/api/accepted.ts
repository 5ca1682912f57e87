import { type RequestLine, UnknownOutcomeError } from '../errors.ts'
import { type Endpoint, endpoints, type OperationName } from './endpoints.ts'
import { idField, isId, isRecord } from './guards.ts'
import { readAnswer, writeJson } from './json.ts'
import type { Received } from './received.ts'
import { type AnyInput, checkHint } from './request.ts'

/**
 * What is known about a write that the service accepted (2xx) but whose answer cannot be used: it has happened, to the item
 * whose id the caller chose. Whatever else the service said about it stays.
 * @param problem why the answer cannot be used
 * @returns the answer with the id in its place, as JSON
 * @throws {UnknownOutcomeError} when the service chose the id, as nobody knows it now
 */
export function acceptedJson(
  name: OperationName,
  input: AnyInput,
  received: Received,
  problem: string,
  request: RequestLine,
): string {
  const endpoint: Endpoint = endpoints[name]
  const { result, bare } = endpoint
  const { status, text, value } = received
  const body = isRecord(value) ? (readAnswer(received) as Record<string, unknown>) : {}
  if (bare) return writeJson({ ...(input.body as object), ...body })
  const id = chosenId(endpoint, input)
  if (id === undefined)
    throw new UnknownOutcomeError(`the service accepted it, but its answer cannot be read: ${problem}`, {
      accepted: true,
      hint: checkHint(endpoint, input),
      request,
      status,
      body: value ?? text,
    })
  const item = body[result]
  return writeJson({ ...body, [result]: { ...(isRecord(item) ? item : {}), [idField(endpoint)]: id } })
}

/** The id that the caller chose: at the end of the path, or that of a user to create. */
function chosenId(endpoint: Endpoint, { params, body }: AnyInput): unknown {
  const [, last] = /\{(\w+)\}$/.exec(endpoint.path) ?? []
  if (last !== undefined) return params?.[last]
  const id = endpoint.repeatable && isRecord(body) ? body[idField(endpoint)] : undefined
  return isId(id) ? id : undefined
}
