import { timingSafeEqual } from 'node:crypto'
import type * as z from 'zod'
import { describeIssue } from '../../api/issue.ts'
import { mostLevels, readJson, TooDeep } from '../../api/json.ts'
import type { Fields } from '../../api/resource.ts'
import type { WireRequest } from '../../api/wire.ts'
import { invalid } from './faults.ts'
import { requireStorable } from './values.ts'

/** Compares in constant time: how long it takes reveals only the length of the key. */
export function isKey(header: string | undefined, expected: Buffer): boolean {
  // The name of an authentication scheme is case-insensitive (RFC 9110, section 11.1).
  const given = Buffer.from((header ?? '').replace(/^bearer /i, 'Bearer '))
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** @throws {Fault} for a request target not a valid URL */
export function parseUrl(url: string): URL {
  try {
    // A request line holds a path: `//host` in it is one, not a host.
    return new URL(url.startsWith('/') ? `http://localhost${url}` : url)
  } catch {
    throw invalid('the request target is not a URL')
  }
}

/** @throws {Fault} for parameters that are not valid percent-encoding */
export function decodeParams(params: Record<string, string>): Record<string, string> {
  try {
    return Object.fromEntries(
      Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]),
    )
  } catch {
    throw invalid('the path is not valid percent-encoding')
  }
}

/** @throws {Fault} for a body that is not JSON, or nested too deeply */
export function parseBody({ headers, body }: WireRequest): unknown {
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? ''))
    throw invalid('the request needs a body with Content-Type: application/json')
  try {
    return readJson(body ?? '', mostLevels)
  } catch (error) {
    throw invalid(`the body is ${error instanceof TooDeep ? error.message : 'not valid JSON'}`)
  }
}

/**
 * What a schema lets pass of a value.
 * @throws {Fault} that says what is wrong
 */
export function read(schema: z.ZodType, value: unknown, fields: Fields): unknown {
  requireStorable(value, fields)
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw invalid(describeIssue(result.error.issues[0]))
}
