import { createKeyRedactor, type Redact } from './redact.ts'
import { maskText } from './secrets.ts'

/** Keys and access tokens of a run, and the redaction of texts that quote them. */
export class KnownSecrets {
  readonly #secrets = new Set<string>()
  #redactKeys: Redact | undefined

  add(secret: string | undefined): void {
    if (!secret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#redactKeys = undefined
  }

  readonly redact: Redact = (text) => maskText(this.redactKeys(text))

  /** Removes keys only: results may hold access tokens that the user asked for. */
  readonly redactKeys: Redact = (text) => {
    this.#redactKeys ??= createKeyRedactor([...this.#secrets])
    return this.#redactKeys(text)
  }
}
