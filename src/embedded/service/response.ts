import { writeJson } from '../../api/json.ts'
import type { WireResponse } from '../../api/wire.ts'

export interface TextResponse extends WireResponse {
  readonly text: string
  /** Name of the called operation, for metrics; undefined if none was called. */
  operation?: string | undefined
  readonly isDamage?: boolean
  /** Injected failure: the connection is reset before the response, or closed within the body. */
  readonly connection?: 'reset' | 'cut'
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

export function createResponse(status: number, value: unknown, added?: TextResponse['headers']) {
  return createTextResponse(status, added ? { ...headers, ...added } : headers, `${toJson(value)}\n`)
}

export function createTextResponse(
  status: number,
  headers: TextResponse['headers'],
  text: string,
): TextResponse {
  return {
    status,
    headers,
    text,
    operation: undefined,
    get body() {
      return new TextEncoder().encode(text)
    },
  }
}

/** `JSON.stringify` is several times faster, but only `writeJson` preserves long numbers. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('"isLosslessNumber":true') ? writeJson(value) : text
}
