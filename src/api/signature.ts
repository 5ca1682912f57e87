import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** @throws {Error} for an invalid secret */
function createSigner(secret: string): Webhook {
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' })
}

/**
 * Signs according to Standard Webhooks. The API specification (“Webhook”) does not define signatures.
 * @throws {Error} if `isSecret` returns false
 */
export function sign(secret: string, id: string, unixSeconds: number, body: string): string {
  return createSigner(secret).sign(id, new Date(unixSeconds * 1000), body)
}

/**
 * Checks a `webhook-signature` header, but not the age of the timestamp.
 * @throws {Error} if `isSecret` returns false
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

/** Returns true for `whsec_` with non-empty base64, and for other non-empty text. */
export function isSecret(secret: string): boolean {
  try {
    createSigner(secret)
    return true
  } catch {
    return false
  }
}
