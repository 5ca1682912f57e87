import { quoteForShell } from '../../api/quote-for-shell.ts'
import type { WireRequest } from '../../api/wire.ts'
import type { Format } from '../../config/values.ts'
import { isSecretHeader, mask, type Redact } from '../output/redaction/redaction.ts'
import { maskRequest, type PlaceholderFor, replaceWebhookSecrets } from '../output/redaction/requests.ts'

import { visible } from '../output/terminal/visible.ts'

/** @param redact masks keys and the values of headers that were read from files */
export function formatShownRequest(
  request: WireRequest,
  asCurl: boolean,
  redact: Redact,
  { format, showTokens = false }: { format: Format; showTokens?: boolean },
): string {
  const shown = showTokens ? request : maskRequest(request)
  return redact(asCurl ? formatCurl(shown, redact) : formatRequest(shown, format))
}

const toVariable = (header: string): string => header.toUpperCase().replace(/^\d|\W/g, '_')

function formatCurl({ method, url, headers, body }: WireRequest, redact: Redact): string {
  const references = new References()
  const data = body === undefined ? undefined : replaceWebhookSecrets(body, references.placeholderFor)
  const words = [
    'curl',
    '-X',
    method,
    quoteForShell(url),
    '-H',
    '"Authorization: Bearer $MEETROOM_API_KEY"',
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      isSecretHeader(name) || redact(value) !== value
        ? `${quoteForShell(`${name}: `)}"$${toVariable(name)}"`
        : quoteForShell(`${name}: ${value}`),
    ]),
    ...(data === undefined ? [] : ['--data-raw', references.quote(data)]),
  ]
  return `${words.join(' ')}\n`
}

class References {
  readonly #names = new Map<string, string>()

  readonly placeholderFor: PlaceholderFor = (header) => {
    const name = header === undefined ? 'WEBHOOK_SECRET' : `WEBHOOK_${toVariable(header)}`
    // The mark is delimited by private-use characters, which are unlikely in text of users.
    const mark = `\ue000${name}\ue000`
    this.#names.set(mark, name)
    return mark
  }

  quote(text: string): string {
    const quoted = this.#names.size === 0 ? quoteForShell(text) : `'${text.replaceAll("'", `'\\''`)}'`
    return [...this.#names].reduce(
      (word, [mark, name]) => word.replaceAll(mark, () => `'"$${name}"'`),
      quoted,
    )
  }
}

function formatRequest({ method, url, body }: WireRequest, format: Format): string {
  const data = body === undefined ? undefined : replaceWebhookSecrets(body, () => mask)
  if (format === 'table')
    return visible(`${method} ${url}${data === undefined ? '' : ` ${data}`}`).concat('\n')
  return `{"method":${JSON.stringify(method)},"url":${JSON.stringify(url)}${data === undefined ? '' : `,"body":${data}`}}\n`
}
