import { isTooDeep, maxDepth } from '../../api/depth.ts'
import { describeIssue } from '../../api/issue.ts'
import { isSignedBy } from '../../api/signature.ts'
import { WebhookEvent } from '../../api/webhooks.ts'

/** What can be said of a webhook that came in (section 6.1). */
export interface Checked {
  id: string | undefined
  /** When it was sent, ISO 8601; undefined when it does not say. */
  at: string | undefined
  action: string | undefined
  event: unknown
  /** Whether the body is one that the document describes. */
  valid: boolean
  signature: 'verified' | 'wrong' | 'missing' | 'not checked'
  /** What is wrong with it, in one line. */
  problem: string | undefined
}

/** Checks the body against the schema and, where there is a secret, the signature (Standard Webhooks). */
export function checkWebhook(
  body: string,
  headers: Readonly<Record<string, string>>,
  secret: string | undefined,
): Checked {
  const event = parse(body)
  const result = WebhookEvent.safeParse(event)
  const signature = checkSignature(body, headers, secret)
  const sentAt = new Date(Number(headers['webhook-timestamp'] || Number.NaN) * 1000)
  const problems = [
    signature === 'wrong'
      ? 'the signature is wrong'
      : signature === 'missing'
        ? 'there is no signature'
        : undefined,
    event === undefined
      ? isTooDeep(body)
        ? `the body is nested more than ${maxDepth} levels deep`
        : 'the body is not JSON'
      : result.success
        ? undefined
        : `the body is not that of a webhook: ${describeIssue(result.error.issues[0])}`,
  ].filter((problem) => problem !== undefined)
  return {
    id: headers['webhook-id'],
    at: Number.isNaN(sentAt.getTime()) ? undefined : sentAt.toISOString(),
    action: result.success ? result.data.action : undefined,
    event,
    valid: result.success,
    signature,
    problem: problems.length > 0 ? problems.join('; ') : undefined,
  }
}

function parse(body: string): unknown {
  if (isTooDeep(body)) return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

function checkSignature(
  body: string,
  headers: Readonly<Record<string, string>>,
  secret: string | undefined,
): Checked['signature'] {
  if (secret === undefined) return 'not checked'
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures } = headers
  if (!id || !seconds || !signatures) return 'missing'
  if (!/^\d{1,12}$/.test(seconds)) return 'wrong'
  return isSignedBy(secret, signatures, id, Number(seconds), body) ? 'verified' : 'wrong'
}
