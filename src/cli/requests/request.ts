import { readJson, writeJson } from '../../api/json.ts'
import type { WireRequest } from '../../api/wire.ts'
import { shellQuote } from '../../client/request.ts'
import type { Format } from '../../config/values.ts'
import { isSecretHeader, mask, maskJson, maskText } from '../output/redaction/secrets.ts'
import { visible } from '../output/terminal/visible.ts'

/** Masks access tokens in a request: data read from the service may contain them. */
export function maskedRequest(request: WireRequest): WireRequest {
  const { url, body } = request
  return { ...request, url: maskText(url), body: body === undefined ? undefined : maskJson(body) }
}

type PlaceholderFor = (name: string) => string

type Fields = Readonly<Record<string, unknown>>

/** Replaces webhook secrets and secret headers, which may come from a private file. */
function replaceSecrets(body: string, placeholderFor: PlaceholderFor): string {
  // Avoids parsing bodies that cannot contain a webhook.
  if (!body.includes('webhook') && !body.includes('\\u')) return body
  const value = readJson(body)
  const safe = replaceWebhookSecrets(value, placeholderFor)
  return safe === value ? body : writeJson(safe)
}

/** Replaces the secrets of a room, or of each room in a list; returns the same value if there are none. */
function replaceWebhookSecrets(value: unknown, placeholderFor: PlaceholderFor): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceWebhookSecrets(item, placeholderFor))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isFields(value) || !isFields(value['webhook'])) return value
  const webhook = value['webhook']
  const safe = replaceFields(webhook, (name, value) => {
    if (name === 'secret') return placeholderFor('WEBHOOK_SECRET')
    if (name !== 'headers' || !isFields(value)) return value
    return replaceFields(value, (header, text) =>
      isSecretHeader(header) ? placeholderFor(`WEBHOOK_${toVariable(header)}`) : text,
    )
  })
  return safe === webhook ? value : { ...value, webhook: safe }
}

/** Replaces field values except null and empty text; returns the same object if nothing changes. */
function replaceFields(fields: Fields, replace: (name: string, value: unknown) => unknown): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value === null || value === '' ? value : replace(name, value),
  ])
  return entries.some(([name, value]) => value !== fields[name as string])
    ? Object.fromEntries(entries)
    : fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns an environment variable name for a header: `X_API_KEY` for `x-api-key`. */
function toVariable(header: string): string {
  return header.toUpperCase().replace(/^\d|\W/g, '_')
}

export function formatCurl({ method, url, headers, body }: WireRequest): string {
  const references = new References()
  const data = body === undefined ? undefined : replaceSecrets(body, references.placeholderFor)
  const words = [
    'curl',
    '-X',
    method,
    shellQuote(url),
    '-H',
    '"Authorization: Bearer $MEETROOM_API_KEY"',
    ...Object.entries(headers).flatMap(([name, value]) => [
      '-H',
      isSecretHeader(name)
        ? `${shellQuote(`${name}: `)}"$${toVariable(name)}"`
        : shellQuote(`${name}: ${value}`),
    ]),
    ...(data === undefined ? [] : ['--data-raw', references.quote(data)]),
  ]
  return `${words.join(' ')}\n`
}

class References {
  readonly #names = new Map<string, string>()

  readonly placeholderFor: PlaceholderFor = (name) => {
    // User text contains no private-use characters.
    const mark = `\ue000${name}\ue000`
    this.#names.set(mark, name)
    return mark
  }

  quote(text: string): string {
    const quoted = this.#names.size === 0 ? shellQuote(text) : `'${text.replaceAll("'", `'\\''`)}'`
    return [...this.#names].reduce(
      (word, [mark, name]) => word.replaceAll(mark, () => `'"$${name}"'`),
      quoted,
    )
  }
}

/** Formats a request for `--dry-run`: as text, or as one JSON object. */
export function formatRequest({ method, url, body }: WireRequest, format: Format): string {
  const data = body === undefined ? undefined : replaceSecrets(body, () => mask)
  if (format === 'table')
    return visible(`${method} ${url}${data === undefined ? '' : ` ${data}`}`).concat('\n')
  return `{"method":${JSON.stringify(method)},"url":${JSON.stringify(url)}${data === undefined ? '' : `,"body":${data}`}}\n`
}
