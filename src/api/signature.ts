import { timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** Accepts secrets of Standard Webhooks (`whsec_` and base64) and any other text. */
function signer(secret: string): Webhook {
  return secret.startsWith('whsec_')
    ? new Webhook(secret)
    : new Webhook(Buffer.from(secret), { format: 'raw' })
}

/** Signs a body by Standard Webhooks; the API specification, section 6.1, leaves signing open. */
export function sign(secret: string, id: string, unixSeconds: number, body: string): string {
  return signer(secret).sign(id, new Date(unixSeconds * 1000), body)
}

/** Returns true when a `webhook-signature` header signs the body. Compares in constant time; ignores its age. */
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

/** Returns true when a secret is not empty and its part after `whsec_` is base64. */
export function isSecret(secret: string): boolean {
  try {
    signer(secret)
    return true
  } catch {
    return false
  }
}
