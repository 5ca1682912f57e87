import { type Endpoint, endpoints, type OperationName } from '../../../api/endpoints.ts'
import { getIdField, isRecord } from '../../../api/guards.ts'
import { readResponseValue } from '../../../api/json.ts'
import type { ResponseBody } from '../../../client/parsed-response.ts'
import { type AnyInput, callerId } from '../../../client/request.ts'
import type { Format } from '../../../config/values.ts'
import type { Item } from './views.ts'

/**
 * Returns the item of a response. For the format `ids`, the ID in the request replaces a missing item or ID.
 */
export function readWrittenItems(
  name: OperationName,
  input: AnyInput,
  response: ResponseBody,
  format: Format,
): readonly Item[] {
  const endpoint: Endpoint = endpoints[name]
  const found = (readResponseValue(response) as Item)[endpoint.result]
  const item = isRecord(found) ? found : undefined
  if (format !== 'ids') return item ? [item] : []
  const id = getIdField(endpoint)
  return item && Object.hasOwn(item, id) ? [item] : [{ [id]: callerId(endpoint, input) }]
}
