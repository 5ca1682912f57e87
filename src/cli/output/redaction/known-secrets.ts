import { keyRedactor, type Redact } from './redact.ts'
import { maskedText } from './secrets.ts'

/** Keys and access tokens of a run, and the redaction of texts that quote them. */
export class KnownSecrets {
  readonly #secrets = new Set<string>()
  #redactKeys: Redact | undefined

  keep(secret: string | undefined): void {
    if (!secret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#redactKeys = undefined
  }

  readonly redact: Redact = (text) => maskedText(this.redactKeys(text))

  /** Removes keys only: results may hold access tokens that the user asked for. */
  readonly redactKeys: Redact = (text) => {
    this.#redactKeys ??= keyRedactor([...this.#secrets])
    return this.#redactKeys(text)
  }
}
