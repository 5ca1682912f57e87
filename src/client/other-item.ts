import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { readResponseValue } from '../api/json.ts'
import { findOtherIds } from '../api/named-item.ts'
import { toText } from '../api/to-text.ts'
import type { ParsedResponse } from './parsed-response.ts'
import type { AnyInput } from './request.ts'

/** Returns the reason why the item of a lookup is not the one that was requested. */
export function findOtherItem(
  name: OperationName,
  { params }: AnyInput,
  received: ParsedResponse,
): string | undefined {
  const endpoint: Endpoint = endpoints[name]
  if (endpoint.many) return undefined
  const item = (readResponseValue(received) as Record<string, unknown>)[endpoint.result]
  const [other] = isRecord(item) ? findOtherIds(endpoint, params, item) : []
  return other && `${other.field} is “${toText(other.received)}”, not “${other.named}”`
}
