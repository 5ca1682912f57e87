import { shellQuote } from '../../api/request.ts'
import type { WireRequest } from '../../api/wire.ts'
import type { Format } from '../../config-values.ts'
import { maskedJson, maskedText } from './secrets.ts'
import { visible } from './visible.ts'

/** The request without the access tokens that it would send: what was read from the service may be sent back. */
export function maskedRequest(request: WireRequest): WireRequest {
  const { url, body } = request
  return { ...request, url: maskedText(url), body: body === undefined ? undefined : maskedJson(body) }
}

/** The request as a curl command that can be pasted. The key stays a variable. */
export function formatCurl({ method, url, headers, body }: WireRequest): string {
  const words = [
    'curl',
    '-X',
    method,
    shellQuote(url),
    '-H',
    '"Authorization: Bearer $MEETROOM_API_KEY"',
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', shellQuote(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ['--data-raw', shellQuote(body)]),
  ]
  return `${words.join(' ')}\n`
}

/** The request as `--dry-run` shows it: for people, or as one JSON object. */
export function formatRequest({ method, url, body }: WireRequest, format: Format): string {
  if (format === 'table')
    return visible(`${method} ${url}${body === undefined ? '' : ` ${body}`}`).concat('\n')
  return `{"method":${JSON.stringify(method)},"url":${JSON.stringify(url)}${body === undefined ? '' : `,"body":${body}`}}\n`
}
