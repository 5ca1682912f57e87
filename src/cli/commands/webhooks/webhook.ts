import { describeIssue } from '../../../api/issue.ts'
import { JsonLimitError, maxLevels, parseJson } from '../../../api/json.ts'
import { isSignedBy } from '../../../api/signature.ts'
import { WebhookEvent } from '../../../api/webhooks.ts'

export interface WebhookVerdict {
  id: string | undefined
  /** Time of sending, ISO 8601. */
  at: string | undefined
  action: string | undefined
  event: unknown
  signature: 'verified' | 'wrong' | 'missing' | 'too old' | 'too new' | 'not checked'
  /** Undefined for a valid webhook. */
  problem: string | undefined
}

interface WebhookCheck {
  /** Signing secret; undefined if signatures are not checked. */
  secret: string | undefined
  /** Maximum difference between the time of a signature and `now`, in seconds; undefined for no limit. */
  tolerance: number | undefined
  /** Current time, in milliseconds since 1970. */
  now: number
}

/** Checks the body against its schema and, given a secret, the signature (Standard Webhooks). */
export function checkWebhook(
  body: string,
  headers: Readonly<Record<string, string>>,
  check: WebhookCheck,
): WebhookVerdict {
  const { event, unreadable } = parse(body)
  const result = WebhookEvent.safeParse(event)
  const seconds = Number(headers['webhook-timestamp'] || Number.NaN)
  const signature = checkSignature(body, headers, check)
  const sentAt = new Date(seconds * 1000)
  const age = readAge(seconds, check.now)
  const limit = `the tolerance is ${check.tolerance} s`
  const signatureProblems = {
    ...{ wrong: 'the signature is wrong', missing: 'there is no signature' },
    'too old': `the signature is ${age} s old; ${limit}`,
    'too new': `the signature is ${-age} s ahead of the clock; ${limit}`,
    ...{ verified: undefined, 'not checked': undefined },
  }
  const problems = [
    signatureProblems[signature],
    unreadable ??
      (result.success
        ? undefined
        : `the body is not a webhook event: ${describeIssue(result.error.issues[0], event)}`),
  ].filter((problem) => problem !== undefined)
  return {
    id: headers['webhook-id'],
    at: Number.isNaN(sentAt.getTime()) ? undefined : sentAt.toISOString(),
    action: result.success ? result.data.action : undefined,
    event,
    signature,
    problem: problems.length > 0 ? problems.join('; ') : undefined,
  }
}

function parse(body: string): { event?: unknown; unreadable?: string } {
  try {
    return { event: parseJson(body, maxLevels) }
  } catch (error) {
    return { unreadable: `the body is ${error instanceof JsonLimitError ? error.message : 'not JSON'}` }
  }
}

function checkSignature(
  body: string,
  headers: Readonly<Record<string, string>>,
  { secret, tolerance, now }: WebhookCheck,
): WebhookVerdict['signature'] {
  if (secret === undefined) return 'not checked'
  const { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures } = headers
  if (!id || !seconds || !signatures) return 'missing'
  if (!/^\d{1,12}$/.test(seconds)) return 'wrong'
  if (!isSignedBy(secret, signatures, id, Number(seconds), body)) return 'wrong'
  const age = readAge(Number(seconds), now)
  if (tolerance === undefined || Math.abs(age) <= tolerance) return 'verified'
  return age > 0 ? 'too old' : 'too new'
}

/** Returns the age in whole seconds; negative for a time in the future. */
function readAge(seconds: number, now: number): number {
  return Math.floor(now / 1000) - seconds
}
