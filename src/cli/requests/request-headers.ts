import { isConnectionHeader } from '../../api/connection-headers.ts'
import { UsageError } from '../../errors.ts'
import { type HeaderContext, readHeaders } from '../input/headers.ts'

/** Headers that may change the method or path, and so bypass protection and confirmation. */
const rewritingHeaders = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
])

/** @throws {UsageError} if a header cannot be read, or must not be set */
export async function readRequestHeaders(
  context: HeaderContext,
  flag: string,
  lines: readonly string[],
): Promise<Record<string, string>> {
  const headers = new Map<string, string>()
  for (const [name, value] of await readHeaders(context, flag, lines)) {
    const key = name.toLowerCase()
    if (key === 'authorization' || isConnectionHeader(key))
      throw new UsageError(`${flag} cannot set ${name}, which meetroom sets itself`)
    if (rewritingHeaders.has(key))
      throw new UsageError(`${flag} cannot set ${name}, which may change the method or path of the request`)
    const existing = headers.get(key)
    headers.set(key, existing === undefined ? value : `${existing}, ${value}`)
  }
  return Object.fromEntries(headers)
}
