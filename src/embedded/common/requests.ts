import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type * as z from 'zod'
import { describeIssue } from '../../api/issue.ts'
import { JsonLimitError, maxLevels, readJson, requireJsonLimits } from '../../api/json.ts'
import type { Fields } from '../../api/resource-types.ts'
import type { WireRequest } from '../../api/wire.ts'
import { invalid } from './faults.ts'
import { requireStorable } from './values.ts'

/** Compares keys in constant time, so that the time reveals only the key's length. */
export function isAuthorized(header: string | undefined, expected: Buffer): boolean {
  // The name of an authentication scheme is case-insensitive (RFC 9110, section 11.1).
  const received = Buffer.from((header ?? '').replace(/^bearer /i, 'Bearer '))
  return received.length === expected.length && timingSafeEqual(received, expected)
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return (headers['content-length'] ?? '0') !== '0' || headers['transfer-encoding'] !== undefined
}

export function parseUrl(url: string): URL {
  try {
    // In a request line, `//host` is a path, not a host.
    return new URL(url.startsWith('/') ? `http://localhost${url}` : url)
  } catch {
    throw invalid('the request target is not a URL')
  }
}

export function decodeParams(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw invalid('the path is not valid percent-encoding')
  }
}

/** Maximum number of JSON values in a long body. Parsing so many values takes at most 100 ms. */
const maxValues = 100_000
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** @throws {Fault} if the body is not UTF-8 or exceeds a limit of JSON */
export function decodeBody(bytes: Uint8Array): string {
  try {
    requireJsonLimits(bytes, maxLevels, maxValues)
    return utf8.decode(bytes)
  } catch (error) {
    throw invalid(`the body is ${error instanceof JsonLimitError ? error.message : 'not valid UTF-8'}`)
  }
}

/** @throws {Fault} if the Content-Type or the body is not JSON, or a limit is exceeded */
export function parseBody({ headers, body }: WireRequest): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw invalid('the request needs a body with Content-Type: application/json')
  try {
    return readJson(body ?? '', maxLevels)
  } catch (error) {
    throw invalid(`the body is ${error instanceof JsonLimitError ? error.message : 'not valid JSON'}`)
  }
}

/** @throws {Fault} if the value does not match the schema, or `requireStorable` refuses it */
export function validateInput(schema: z.ZodType, value: unknown, fields: Fields): unknown {
  requireStorable(value, fields)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(describeIssue(result.error.issues[0], value))
}
