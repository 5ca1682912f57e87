import { describeReason, readErrorCode } from '../../api/connection-failure.ts'
import { isConnectionHeader } from '../../api/connection-headers.ts'
import { createWebhookHeaders } from '../../api/signature.ts'
import type { DeliveryRow } from '../store/rows.ts'
import type { WebhookTarget } from './outbox.ts'
import { ForbiddenAddress, type Post, timeoutMs } from './post.ts'

export interface AttemptResult {
  outcome: number | 'unreachable' | 'forbidden'
  error: string | null
  /** Start of the response body as one line, at most `maxExcerpt` characters; null without text. */
  excerpt: string | null
}

const maxExcerpt = 200

export async function attemptDelivery(
  { id, target, body, redeliveries }: DeliveryRow,
  { post, now, userAgent }: { post: Post; now(): number; userAgent: string },
): Promise<AttemptResult> {
  const webhook = JSON.parse(target) as WebhookTarget
  const { url, headers, secret } = webhook
  // Earlier versions stored connection headers.
  const reserved = Object.keys(headers ?? {}).find(isConnectionHeader)
  if (reserved !== undefined) return forbid(`the header ${reserved} of the webhook cannot be sent`)
  const unixSeconds = Math.floor(now() / 1000)
  try {
    const { status, text } = await post(
      url,
      createWebhookHeaders({ id, unixSeconds, body, secret, headers, userAgent, redelivery: redeliveries }),
      body,
    )
    return { outcome: status, error: null, excerpt: createExcerpt(text, webhook) }
  } catch (error) {
    const code = readErrorCode(error)
    if (error instanceof ForbiddenAddress || code === 'EFORBIDDEN')
      return forbid('the address is private or link-local')
    const isTimeout = code === 'TimeoutError' || /TIMEOUT/.test(code)
    const reason = isTimeout ? `no response within ${timeoutMs / 1000} seconds` : describeReason(code)
    return { outcome: 'unreachable', error: reason, excerpt: null }
  }
}

const forbid = (error: string): AttemptResult => ({ outcome: 'forbidden', error, excerpt: null })

/** Redacts header values and secrets of at least `minSecret` characters, because receivers may echo them. */
function createExcerpt(text: string, { headers = {}, secret }: WebhookTarget): string | null {
  if (text === '') return null
  const secrets = [secret, ...Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1)])]
  const spellings = secrets.flatMap((value) => (value && value.length >= minSecret ? spell(value) : []))
  const safe = spellings
    .sort((a, b) => b.length - a.length)
    .reduce((left, spelling) => left.replaceAll(spelling, '••••'), text)
  // SQLite can truncate text at NUL.
  const line = safe.replace(/[\p{Cc}\s]+/gu, ' ').trim()
  return line === '' ? null : line.slice(0, maxExcerpt).toWellFormed()
}

/** Minimum length of a redacted secret, in characters. Shorter secrets can occur in ordinary words. */
const minSecret = 4

function spell(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  return [secret, json, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
}
