import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** @throws {Error} if `isWebhookSecret` returns false */
function createSigner(secret: string): Webhook {
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' })
}

/** Signs according to Standard Webhooks. The API specification (“Webhook”) does not define signatures. */
export function sign(secret: string, id: string, unixSeconds: number, body: string): string {
  return createSigner(secret).sign(id, new Date(unixSeconds * 1000), body)
}

/** Checks a `webhook-signature` header, but not the age of the timestamp. */
export function isSignedBy(
  secret: string,
  signatures: string,
  id: string,
  unixSeconds: number,
  body: string,
): boolean {
  const expected = Buffer.from(sign(secret, id, unixSeconds, body))
  return signatures.split(' ').some((signature) => {
    const given = Buffer.from(signature)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Header with the number of a redelivery. The API specification (“Webhook”) defines no headers. */
export const redeliveryHeader = 'webhook-redelivery'

interface SentWebhook {
  /** Value of `webhook-id`, equal for all attempts and redeliveries. */
  id: string
  unixSeconds: number
  body: string
  secret?: string | undefined
  /** Additional headers. `webhook-` headers are omitted; other generated headers take precedence. */
  headers?: Readonly<Record<string, string>> | undefined
  userAgent: string
  /** Number of redeliveries that were requested. */
  redelivery?: number
}

/** Creates the headers of a webhook according to Standard Webhooks. */
export function createWebhookHeaders(webhook: SentWebhook): Record<string, string> {
  const { id, unixSeconds, body, secret, headers = {}, userAgent, redelivery = 0 } = webhook
  return {
    ...removeReservedHeaders(headers),
    'content-type': 'application/json',
    'user-agent': userAgent,
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds),
    ...(secret ? { 'webhook-signature': sign(secret, id, unixSeconds, body) } : {}),
    ...(redelivery > 0 ? { [redeliveryHeader]: String(redelivery) } : {}),
  }
}

function removeReservedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lower.filter(([name]) => !name.startsWith('webhook-')))
}
