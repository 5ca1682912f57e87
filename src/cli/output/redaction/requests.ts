import { isRecord } from '../../../api/guards.ts'
import { readJson, writeJson } from '../../../api/json.ts'
import type { WireRequest } from '../../../api/wire.ts'
import { isSecretHeader, maskJson, maskText } from './fields.ts'

/** Masks access tokens in a request, because data from the service may contain tokens. */
export function maskRequest(request: WireRequest): WireRequest {
  const { url, body } = request
  return { ...request, url: maskText(url), body: body === undefined ? undefined : maskJson(body) }
}

/** Function that returns the replacement of a secret header; `undefined` means a webhook secret. */
export type PlaceholderFor = (header: string | undefined) => string

type Fields = Readonly<Record<string, unknown>>

/** Replaces secrets and secret headers of webhooks, because they may come from a private file. */
export function replaceWebhookSecrets(body: string, placeholderFor: PlaceholderFor): string {
  // Avoids parsing bodies that cannot contain a webhook.
  if (!body.includes('webhook') && !body.includes('\\u')) return body
  const value = readJson(body)
  const safe = replaceWebhooks(value, placeholderFor)
  return safe === value ? body : writeJson(safe)
}

function replaceWebhooks(value: unknown, placeholderFor: PlaceholderFor): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => replaceWebhooks(item, placeholderFor))
    return items.some((item, i) => item !== value[i]) ? items : value
  }
  if (!isRecord(value) || !isRecord(value['webhook'])) return value
  const webhook = value['webhook']
  const safe = replaceFields(webhook, (name, value) => {
    if (name === 'secret') return placeholderFor(undefined)
    if (name !== 'headers' || !isRecord(value)) return value
    return replaceFields(value, (header, text) => (isSecretHeader(header) ? placeholderFor(header) : text))
  })
  return safe === webhook ? value : { ...value, webhook: safe }
}

function replaceFields(fields: Fields, replace: (name: string, value: unknown) => unknown): Fields {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    value === null || value === '' ? value : replace(name, value),
  ])
  return entries.some(([name, value]) => value !== fields[name as string])
    ? Object.fromEntries(entries)
    : fields
}
