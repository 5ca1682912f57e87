import { endpoints, type OperationName } from './endpoints.ts'
import { isRecord } from './guards.ts'
import { readAnswer, writeJson } from './json.ts'
import type { Received } from './received.ts'

/** An answer to an operation, with an empty list where a service sends null for one. Its bytes stay as they came. */
export function withList(name: OperationName, received: Received): Received {
  const { many, result } = endpoints[name]
  if (!many || !isRecord(received.value) || received.value[result] !== null) return received
  const value = { ...(readAnswer(received) as object), [result]: [] }
  return { ...received, text: writeJson(value), value }
}
