import { JsonLimitError, parseJson, requireJsonLimits } from '../api/json.ts'
import type { WireResponse } from '../api/wire.ts'

export interface ParsedResponse {
  status: number
  bytes: Uint8Array
  text: string
  value: unknown
  problem: string | undefined
  isEmpty: boolean
}

export function createResponseReader(): (response: WireResponse) => ParsedResponse {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  return ({ status, headers, body, unreadable }) => {
    let text = ''
    try {
      requireJsonLimits(body)
      text = decoder.decode(body)
      return { status, bytes: body, text, value: parseJson(text), problem: undefined, isEmpty: false }
    } catch (cause) {
      const problem = unreadable ?? describeNotJson(body, headers['content-type'], cause)
      const isEmpty = body.length === 0 && unreadable === undefined
      return { status, bytes: body, text, value: undefined, problem, isEmpty }
    }
  }
}

function describeNotJson(body: Uint8Array, contentType = '', cause: unknown): string {
  if (body.length === 0) return 'it is empty'
  if (cause instanceof JsonLimitError) return `it is ${cause.message}`
  const [type = ''] = contentType.split(';')
  return type === '' || type.includes('json') ? 'it is not valid JSON' : `it is ${type}, not JSON`
}
