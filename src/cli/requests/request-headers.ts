import { isConnectionHeader } from '../../api/connection-headers.ts'
import { UsageError } from '../../errors.ts'
import { parseHeaders } from '../input/input.ts'

/** Headers that make some services change the method or path. They would bypass protection and confirmation. */
const rewritingHeaders = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
])

/** @throws {UsageError} for a malformed or reserved header */
export function parseRequestHeaders(lines: readonly string[], flag = '--header'): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [name = '', value = ''] = Object.entries(parseHeaders(flag, [line]))[0] ?? []
    const key = name.toLowerCase()
    if (key === 'authorization' || isConnectionHeader(key))
      throw new UsageError(`${flag} cannot set ${name}: meetroom sets it itself`)
    if (rewritingHeaders.has(key))
      throw new UsageError(`${flag} cannot set ${name}: it may turn the request into another one`)
    if (!/^[\t -~]*$/.test(value))
      throw new UsageError(`${flag} ${name}: the value contains a character that no header may contain`)
    const existing = headers.get(key)
    headers.set(key, existing === undefined ? value : `${existing}, ${value}`)
  }
  return Object.fromEntries(headers)
}
