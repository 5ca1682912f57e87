import { isPlain, type JsonBody, JsonLimitError, parseJson, requireJsonLimits } from '../api/json.ts'
import type { WireResponse } from '../api/wire.ts'

export interface ParsedResponse extends JsonBody {
  status: number
  problem: string | undefined
  isEmpty: boolean
}

export function createResponseReader(): (response: WireResponse) => ParsedResponse {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return ({ status, headers, body: bytes, unreadable }) => {
    try {
      requireJsonLimits(bytes)
      const text = decoder.decode(bytes)
      const value = parseJson(text)
      return { status, bytes, value, isPlain: isPlain(text), problem: undefined, isEmpty: false }
    } catch (cause) {
      const problem = unreadable ?? describeNotJson(bytes, headers['content-type'], cause)
      const isEmpty = bytes.length === 0 && unreadable === undefined
      return { status, bytes, value: undefined, isPlain: true, problem, isEmpty }
    }
  }
}

/** Maximum size of a body that an error carries, in bytes. */
const maxQuotedBytes = 64 * 1024

/** Returns the body for an error. A large one is cut. */
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
