import { writeJson } from '../../api/json.ts'
import type { WireResponse } from '../../api/wire.ts'
import { inTurns, type Pace } from '../common/pace.ts'
import { isObject } from '../common/values.ts'

/** An answer whose bytes are only made when they are asked for. */
export interface TextResponse extends WireResponse {
  /** The body; empty where it is so long that it was made in pieces. */
  readonly text: string
  readonly pieces?: readonly Uint8Array[]
}

const headers = { 'content-type': 'application/json; charset=utf-8' }

export function respond(status: number, value: unknown): TextResponse {
  const text = `${toJson(value)}\n`
  return {
    status,
    headers,
    text,
    get body() {
      return new TextEncoder().encode(text)
    },
  }
}

/** How many items of a list are written in one go. No page has more. */
const stepItems = 1000

/** Whether an answer is nothing but a list, and one longer than any page. */
export function isLong(value: unknown): value is Record<string, unknown[]> {
  const [items, ...others] = isObject(value) ? Object.values(value) : []
  return others.length === 0 && Array.isArray(items) && items.length > stepItems
}

/** Writes a long list in steps. */
export async function respondInSteps(value: Record<string, unknown[]>, pace: Pace): Promise<TextResponse> {
  const [[name, items] = ['', []]] = Object.entries(value)
  const pieces = [Buffer.from(`{${JSON.stringify(name)}:[`)]
  const turn = inTurns(pace)
  for (let i = 0; i < items.length; i += stepItems) {
    const some = toJson(items.slice(i, i + stepItems)).slice(1, -1)
    pieces.push(Buffer.from(i === 0 ? some : `,${some}`))
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

/** Numbers of unlisted fields may have more digits than JSON.stringify can write, which is several times as fast. */
function toJson(value: unknown): string {
  const text = JSON.stringify(value)
  return text.includes('"isLosslessNumber":true') ? writeJson(value) : text
}
