import { type Endpoint, endpoints, type OperationName } from '../api/endpoints.ts'
import { isRecord } from '../api/guards.ts'
import { type JsonBody, JsonLimitError, parseJsonBytes, readResponseValue, writeJson } from '../api/json.ts'
import type { WireResponse } from '../api/wire.ts'

export type ResponseBody<T = unknown> = JsonBody<T>

export interface ParsedResponse extends JsonBody {
  status: number
  problem: string | undefined
  isEmpty: boolean
}

export function readResponse({ status, headers, body: bytes, unreadable }: WireResponse): ParsedResponse {
  try {
    return { status, bytes, ...parseJsonBytes(bytes), problem: undefined, isEmpty: false }
  } catch (cause) {
    const problem = unreadable ?? describeNotJson(bytes, headers['content-type'], cause)
    const isEmpty = bytes.length === 0 && unreadable === undefined
    return { status, bytes, value: undefined, isPlain: true, problem, isEmpty }
  }
}

const maxQuotedBytes = 64 * 1024

/** Returns the parsed body; the first 64 KiB as text if the body is larger or not JSON. */
export function quoteBody({ bytes, value }: JsonBody): unknown {
  if (value !== undefined && bytes.length <= maxQuotedBytes) return value
  return new TextDecoder().decode(bytes.subarray(0, maxQuotedBytes))
}

function describeNotJson(body: Uint8Array, contentType = '', cause: unknown): string {
  if (body.length === 0) return 'it is empty'
  if (cause instanceof JsonLimitError) return `it is ${cause.message}`
  const [type = ''] = contentType.split(';')
  return type === '' || type.includes('json') ? 'it is not valid JSON' : `it is ${type}, not JSON`
}

export function isNullItem({ many, bare, result }: Endpoint, { value }: ParsedResponse): boolean {
  if (many || bare) return false
  return value === null || (isRecord(value) && value[result] === null)
}

/** Replaces a null list, because some services send null for an empty list. */
export function replaceNullList(name: OperationName, received: ParsedResponse): ParsedResponse {
  const { many, result } = endpoints[name]
  if (!many || !isRecord(received.value) || received.value[result] !== null) return received
  const value = { ...(readResponseValue(received) as object), [result]: [] }
  return { ...received, bytes: new TextEncoder().encode(writeJson(value)), value, isPlain: true }
}
