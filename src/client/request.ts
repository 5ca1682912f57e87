import type { Route } from '../api/endpoints.ts'
import { writeJson } from '../api/json.ts'
import { fillPath, queryString } from '../api/path.ts'
import { textOf } from '../api/text-of.ts'
import type { WireRequest } from '../api/wire.ts'
import { type Hint, suggest } from '../errors.ts'

export interface AnyInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  /** Additional headers by lowercase name, for `meetroom api`. */
  headers?: Readonly<Record<string, string>>
}

export const jsonHeaders = { 'content-type': 'application/json' }

export function buildRequest(baseUrl: string, endpoint: Route, input: AnyInput): WireRequest {
  const url = baseUrl + fillPath(endpoint.path, input.params ?? {}) + queryString(input.query)
  const { headers: more } = input
  if (input.body === undefined) return { method: endpoint.method, url, headers: more ?? {} }
  return {
    method: endpoint.method,
    url,
    headers: more ? { ...jsonHeaders, ...more } : jsonHeaders,
    body: writeJson(input.body),
  }
}

/** Creates the hint that shows whether a write took effect, with the values of the request. */
export function checkHint({ check }: Route, input: AnyInput): Hint {
  if (!check) return 'look at the room before you send it again'
  const values: Record<string, unknown> = {
    ...(input.body as object | undefined),
    ...input.params,
  }
  const fill = (word: string) => word.replace(/^\{(\w+)\}$/, (_, name: string) => textOf(values[name] ?? ''))
  const isOperand = (word: string, i: number) => word.startsWith('{') && !check[i - 1]?.startsWith('--')
  const words = check.filter((word, i) => !isOperand(word, i))
  return ['check with: ', suggest(words.map(fill), ...check.filter(isOperand).map(fill))]
}

export function shellQuote(word: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
