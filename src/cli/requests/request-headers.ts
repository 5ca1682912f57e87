import { UsageError } from '../../errors.ts'
import { parseHeaders } from '../input/input.ts'

/** Headers that decide who asks, whom, and where a request ends. */
const reserved = new Set([
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Headers by which some services take one request for another: protection and confirmation judge what is sent. */
const disguises = new Set([
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
])

/**
 * The headers of `-H`, names in lower case; of one that is given twice, both values.
 * @throws {UsageError} for what is no header, and for one that is not the user’s to set
 */
export function requestHeaders(lines: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [name = '', value = ''] = Object.entries(parseHeaders('--header', [line]))[0] ?? []
    const known = name.toLowerCase()
    if (reserved.has(known)) throw new UsageError(`--header cannot set ${name}: meetroom sets it itself`)
    if (disguises.has(known))
      throw new UsageError(`--header cannot set ${name}: it may turn the request into another one`)
    if (!/^[\t -~]*$/.test(value))
      throw new UsageError(`--header ${name}: the value contains a character that no header may contain`)
    const before = headers.get(known)
    headers.set(known, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(headers)
}
