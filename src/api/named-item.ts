import type { Endpoint } from './endpoints.ts'
import { getIdField, isId } from './guards.ts'
import { isScalar } from './json.ts'
import { toText } from './to-text.ts'

export interface OtherId {
  field: string
  named: string
  received: unknown
}

/** ID field of an item, and the ID in the request path for this field. */
export type NamedId = readonly [field: string, named: string]

/** Lists the IDs in a request path, some with two names, such as `room_id` and `roomId`. */
export function listNamedIds(endpoint: Endpoint, params: Readonly<Record<string, string>> = {}): NamedId[] {
  return Object.entries(params).flatMap(([param, named]) => {
    if (endpoint.path.endsWith(`{${param}}`)) return [[getIdField(endpoint), named] as const]
    const camelCase = param.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    return [[param, named] as const, [camelCase, named] as const]
  })
}

/** Finds an ID that differs from the ID in the request. Ignores missing and unreadable IDs. */
export function findForeignId(
  namedIds: readonly NamedId[],
  item: Readonly<Record<string, unknown>>,
): OtherId | undefined {
  for (const [field, named] of namedIds) {
    const received = item[field]
    const id = received === named ? named : readId(received)
    if (id !== undefined && id !== named) return { field, named, received }
  }
  return undefined
}

/** Reads an ID as text. Accepts `LosslessNumber`, because an ID may have too many digits for a double. */
export function readId(value: unknown): string | undefined {
  return isId(value) || (isScalar(value) && /^\d+$/.test(toText(value))) ? toText(value) : undefined
}
