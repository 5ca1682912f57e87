import { endpoints, type OperationName } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { readAnswer, writeJson } from '../api/json.ts'
import type { ParsedResponse } from './parsed-response.ts'

/** Replaces null by an empty list, as some services send null. */
export function withList(name: OperationName, received: ParsedResponse): ParsedResponse {
  const { many, result } = endpoints[name]
  if (!many || !isRecord(received.value) || received.value[result] !== null) return received
  const value = { ...(readAnswer(received) as object), [result]: [] }
  return { ...received, text: writeJson(value), value }
}
