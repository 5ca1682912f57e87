import { keyRedactor, type Redact } from './redact.ts'
import { maskedText } from './secrets.ts'

/** The secrets that a run has come across, and what takes them out of a text. */
export class KnownSecrets {
  readonly #secrets = new Set<string>()
  #redactKeys: Redact | undefined

  /** Takes note of what must never be shown. */
  keep(secret: string | undefined): void {
    if (!secret || this.#secrets.has(secret)) return
    this.#secrets.add(secret)
    this.#redactKeys = undefined
  }

  /** Takes out what must never be shown, not even inside somebody else’s text: keys and access tokens. */
  readonly redact: Redact = (text) => maskedText(this.redactKeys(text))

  /** Takes out the keys alone: results may hold access tokens that were asked for. */
  readonly redactKeys: Redact = (text) => {
    // Made once: many rows may fail.
    this.#redactKeys ??= keyRedactor([...this.#secrets])
    return this.#redactKeys(text)
  }
}
