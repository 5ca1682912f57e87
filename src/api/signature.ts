import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** A secret as Standard Webhooks writes it (`whsec_` and base64), or any other text as it is. */
function signer(secret: string): Webhook {
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' })
}

/** The `webhook-signature` of a body, by Standard Webhooks. Section 6.1 leaves signing open. */
export function sign(secret: string, id: string, unixSeconds: number, body: string): string {
  return signer(secret).sign(id, new Date(unixSeconds * 1000), body)
}

/**
 * Whether one of the signatures in a `webhook-signature` header is that of the body. Says nothing of their age, and takes
 * as long for a wrong one as for one that is nearly right.
 */
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

/** Whether a secret can sign at all: what follows `whsec_` must be base64, and nothing may be empty. */
export function isSecret(secret: string): boolean {
  try {
    signer(secret)
    return true
  } catch {
    return false
  }
}
