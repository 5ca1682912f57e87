import { writeJson } from '../../api/json.ts'
import type { WireResponse } from '../../api/wire.ts'
import { startTurn, type TurnScheduler } from '../common/turn-scheduler.ts'
import { isObject } from '../common/values.ts'

/** Response whose `body` is encoded on access. */
export interface TextResponse extends WireResponse {
  /** Body as text; empty when `pieces` holds the body. */
  readonly text: string
  readonly pieces?: readonly Uint8Array[]
  /** Name of the operation that was called, for metrics; undefined if the request named none. */
  operation?: string | undefined
  /** True when the workspace is damaged. */
  readonly isDamage?: boolean
  /** Failure of the connection: reset before the response, or closed within its body. */
  readonly connection?: 'reset' | 'cut'
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

export function createResponse(
  status: number,
  value: unknown,
  added?: TextResponse['headers'],
): TextResponse {
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

/** Number of list items serialized per step; also the maximum length of a page. */
const stepItems = 1000

/** Returns true for a list that is longer than any page. */
export function isLongList(value: unknown): value is Record<string, unknown[]> {
  const [items, ...others] = isObject(value) ? Object.values(value) : []
  return others.length === 0 && Array.isArray(items) && items.length > stepItems
}

export async function createResponseInSteps(
  value: Record<string, unknown[]>,
  scheduler: TurnScheduler,
): Promise<TextResponse> {
  const [[name, items] = ['', []]] = Object.entries(value)
  const pieces = [Buffer.from(`{${JSON.stringify(name)}:[`)]
  const turn = startTurn(scheduler)
  for (let i = 0; i < items.length; i += stepItems) {
    const chunk = toJson(items.slice(i, i + stepItems)).slice(1, -1)
    pieces.push(Buffer.from(i === 0 ? chunk : `,${chunk}`))
    await turn()
  }
  pieces.push(Buffer.from(']}\n'))
  return {
    status: 200,
    headers,
    text: '',
    pieces,
    get body() {
      return Buffer.concat(pieces)
    },
  }
}

/** Serializes a value. JSON.stringify is several times faster, but only `writeJson` preserves long numbers. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('"isLosslessNumber":true') ? writeJson(value) : text
}
