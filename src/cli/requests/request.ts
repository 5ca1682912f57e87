import { readJson, writeJson } from '../../api/json.ts'
import type { WireRequest } from '../../api/wire.ts'
import { shellQuote } from '../../client/request.ts'
import type { Format } from '../../config/values.ts'
import { isSecretHeader, mask, maskedJson, maskedText } from '../output/redaction/secrets.ts'
import { visible } from '../output/terminal/visible.ts'

/** The request without the access tokens that it would send: what was read from the service may be sent back. */
export function maskedRequest(request: WireRequest): WireRequest {
  const { url, body } = request
  return { ...request, url: maskedText(url), body: body === undefined ? undefined : maskedJson(body) }
}

/** Gives the text that stands for the secret of this name. */
type StandIn = (name: string) => string

type Fields = Readonly<Record<string, unknown>>

/** Replaces the secret of a webhook and its secret headers: they may come from a file that nobody else reads. */
function withoutInputs(body: string, standIn: StandIn): string {
  // Bodies that cannot hold a webhook are not parsed.
  if (!body.includes('webhook') && !body.includes('\\u')) return body
  const value = readJson(body)
  const safe = withoutWebhookSecrets(value, standIn)
  return safe === value ? body : writeJson(safe)
}

/** Of a room, or of rooms in a list; the value itself when it holds no secret. */
function withoutWebhookSecrets(value: unknown, standIn: StandIn): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => withoutWebhookSecrets(item, standIn))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isFields(value) || !isFields(value['webhook'])) return value
  const webhook = value['webhook']
  const safe = replaceFields(webhook, (name, held) => {
    if (name === 'secret') return standIn('WEBHOOK_SECRET')
    if (name !== 'headers' || !isFields(held)) return held
    return replaceFields(held, (header, text) =>
      isSecretHeader(header) ? standIn(`WEBHOOK_${variable(header)}`) : text,
    )
  })
  return safe === webhook ? value : { ...value, webhook: safe }
}

/** The fields with other values; the same object when no value changes. Null and empty text are kept. */
function replaceFields(fields: Fields, replace: (name: string, held: unknown) => unknown): Fields {
  const entries = Object.entries(fields).map(([name, held]) => [
    name,
    held === null || held === '' ? held : replace(name, held),
  ])
  return entries.some(([name, held]) => held !== fields[name as string])
    ? Object.fromEntries(entries)
    : fields
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The name of an environment variable for a header: `X_API_KEY` for `x-api-key`. */
function variable(header: string): string {
  return header.toUpperCase().replace(/^\d|\W/g, '_')
}

/** The request as a curl command that can be pasted. Secrets stay variables. */
export function formatCurl({ method, url, headers, body }: WireRequest): string {
  const references = new References()
  const data = body === undefined ? undefined : withoutInputs(body, references.standIn)
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
        ? `${shellQuote(`${name}: `)}"$${variable(name)}"`
        : shellQuote(`${name}: ${value}`),
    ]),
    ...(data === undefined ? [] : ['--data-raw', references.quote(data)]),
  ]
  return `${words.join(' ')}\n`
}

/** References to variables within a text that a shell must not touch otherwise. */
class References {
  readonly #names = new Map<string, string>()

  readonly standIn: StandIn = (name) => {
    // A private-use character marks both ends: text of people holds none.
    const mark = `\ue000${name}\ue000`
    this.#names.set(mark, name)
    return mark
  }

  /** The text as one word of a POSIX shell. */
  quote(text: string): string {
    const quoted = this.#names.size === 0 ? shellQuote(text) : `'${text.replaceAll("'", `'\\''`)}'`
    return [...this.#names].reduce(
      (word, [mark, name]) => word.replaceAll(mark, () => `'"$${name}"'`),
      quoted,
    )
  }
}

/** The request as `--dry-run` shows it: for people, or as one JSON object. */
export function formatRequest({ method, url, body }: WireRequest, format: Format): string {
  const data = body === undefined ? undefined : withoutInputs(body, () => mask)
  if (format === 'table')
    return visible(`${method} ${url}${data === undefined ? '' : ` ${data}`}`).concat('\n')
  return `{"method":${JSON.stringify(method)},"url":${JSON.stringify(url)}${data === undefined ? '' : `,"body":${data}`}}\n`
}
