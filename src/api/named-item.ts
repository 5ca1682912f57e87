import type { Endpoint } from './endpoints.ts'
import { getIdField, isId } from './guards.ts'
import { isScalar } from './json.ts'
import type { Fields } from './resource.ts'
import { resources } from './resources.ts'
import { toText } from './to-text.ts'

export interface OtherId {
  field: string
  /** ID in the request. */
  named: string
  received: unknown
}

/** Finds the IDs of an item that differ from those in the path of its request. Missing IDs count as equal. */
export function findOtherIds(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>> | undefined,
  item: Readonly<Record<string, unknown>>,
): OtherId[] {
  const { fields }: { fields: Fields } = resources[endpoint.resource]
  return Object.entries(params ?? {}).flatMap(([param, named]) => {
    const field = endpoint.path.endsWith(`{${param}}`) ? getIdField(endpoint) : param
    const received = item[field]
    const isOther = fields[field]?.type === 'id' && !isSameId(named, received)
    return isOther ? [{ field, named, received }] : []
  })
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
