import type { Endpoint, Route } from '../api/endpoints.ts'
import { getIdField, isId, isRecord } from '../api/guards.ts'
import { writeJson } from '../api/json.ts'
import { fillPath, formatQueryString } from '../api/path.ts'
import { toText } from '../api/to-text.ts'
import type { WireRequest } from '../api/wire.ts'
import { type Hint, suggest } from '../errors.ts'

export interface AnyInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  /** Additional headers for `meetroom api`, with lowercase names. */
  headers?: Readonly<Record<string, string>>
}

const jsonHeaders = { 'content-type': 'application/json' }

export function buildRequest(baseUrl: string, endpoint: Route, input: AnyInput): WireRequest {
  const { method } = endpoint
  const url = baseUrl + fillPath(endpoint.path, input.params ?? {}) + formatQueryString(input.query)
  if (input.body === undefined) return { method, url, headers: { ...input.headers } }
  return { method, url, headers: { ...jsonHeaders, ...input.headers }, body: writeJson(input.body) }
}

export function checkHint({ check }: Route, input: AnyInput): Hint {
  // Only messages cannot be read back.
  if (!check) return 'ask a participant before you send the message again'
  const values: Record<string, unknown> = { ...(input.body as object | undefined), ...input.params }
  const fill = (word: string) => word.replace(/^\{(\w+)\}$/, (_, name: string) => toText(values[name] ?? ''))
  const isOperand = (word: string, i: number) => word.startsWith('{') && !check[i - 1]?.startsWith('--')
  const words = check.filter((word, i) => !isOperand(word, i))
  return ['check with: ', suggest(words.map(fill), ...check.filter(isOperand).map(fill))]
}

/** Returns the ID of the named item, from the end of the path or the body of a repeatable POST. */
export function callerId(endpoint: Endpoint, { params, body }: AnyInput): string | undefined {
  const [, last] = /\{(\w+)\}$/.exec(endpoint.path) ?? []
  if (last !== undefined) return params?.[last]
  const id = endpoint.repeatable && isRecord(body) ? body[getIdField(endpoint)] : undefined
  return isId(id) ? toText(id) : undefined
}
