import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { readResponseValue } from '../api/json.ts'
import { findForeignId, listNamedIds } from '../api/named-item.ts'
import { toText } from '../api/to-text.ts'
import type { ParsedResponse } from './parsed-response.ts'
import type { AnyInput } from './request.ts'

/** Returns the reason why the item of a lookup, or an item of a list, is not of the path that was requested. */
export function findOtherItem(
  name: OperationName,
  { params }: AnyInput,
  received: ParsedResponse,
): string | undefined {
  const endpoint: Endpoint = endpoints[name]
  // Lists of the workspace have no owner.
  if (params === undefined) return undefined
  const found = (readResponseValue(received) as Record<string, unknown>)[endpoint.result]
  const namedIds = listNamedIds(endpoint, params)
  const items: readonly unknown[] = endpoint.many && Array.isArray(found) ? found : [found]
  for (const [index, item] of items.entries()) {
    const other = isRecord(item) ? findForeignId(namedIds, item) : undefined
    const path = endpoint.many ? `${endpoint.result}[${index}].` : ''
    if (other) return `${path}${other.field} is “${toText(other.received)}”, not “${other.named}”`
  }
  return undefined
}
