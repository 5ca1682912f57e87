import type { Endpoint } from './endpoints.ts'
import { getIdField, isId } from './guards.ts'
import { isScalar } from './json.ts'
import { toText } from './to-text.ts'

export interface OtherId {
  field: string
  /** ID in the request. */
  named: string
  received: unknown
}

/** Field of an item, and its value according to the path of the request. */
export type NamedId = readonly [field: string, named: string]

/**
 * Lists the IDs in the path of a request: that of the item, and that of its owner as `room_id` or `roomId`.
 */
export function listNamedIds(endpoint: Endpoint, params: Readonly<Record<string, string>> = {}): NamedId[] {
  return Object.entries(params).flatMap(([param, named]) => {
    if (endpoint.path.endsWith(`{${param}}`)) return [[getIdField(endpoint), named] as const]
    const camelCase = param.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
    return [[param, named] as const, [camelCase, named] as const]
  })
}

/** Finds an ID of an item that differs from the one that its request names. Missing IDs count as equal. */
export function findForeignId(
  namedIds: readonly NamedId[],
  item: Readonly<Record<string, unknown>>,
): OtherId | undefined {
  for (const [field, named] of namedIds) {
    const received = item[field]
    if (received !== named && !isSameId(named, received)) return { field, named, received }
  }
  return undefined
}

/** Compares IDs. An unreadable ID counts as equal. */
function isSameId(one: unknown, received: unknown): boolean {
  const id = readId(received)
  return id === undefined || id === toText(one)
}

/** Reads an ID; undefined if there is none. A number with more digits than a double holds is a `LosslessNumber`. */
export function readId(value: unknown): string | undefined {
  return isId(value) || (isScalar(value) && /^\d+$/.test(toText(value))) ? toText(value) : undefined
}
