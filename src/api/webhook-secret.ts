const secretPattern =
  /^(whsec_([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)|(?!whsec_).+)$/s

/** Returns true for `whsec_` with non-empty base64, and for other non-empty text. */
export function isWebhookSecret(text: string): boolean {
  return secretPattern.test(text)
}
