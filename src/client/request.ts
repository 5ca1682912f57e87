import type { Route } from '../api/endpoints.ts'
import { writeJson } from '../api/json.ts'
import { fillPath, queryString } from '../api/path.ts'
import { textOf } from '../api/text-of.ts'
import type { WireRequest } from '../api/wire.ts'
import { type Hint, suggest } from '../errors.ts'

/** The path parameters, query and body of any operation. */
export interface AnyInput {
  params?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  /** Headers beyond our own, names in lower case: for `meetroom api`. */
  headers?: Readonly<Record<string, string>>
}

/** What a request with a body has beside the headers of every request. */
export const jsonHeaders = { 'content-type': 'application/json' }

/** The request of an operation, as it will be sent. It has no `Authorization`, so that showing a request shows no key. */
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

/** How to find out whether a write took effect: by a command, its placeholders filled from the request, or by a hint. */
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

/** A word that a POSIX shell reads back unchanged. */
export function shellQuote(word: string): string {
  return /^(?!=)[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
