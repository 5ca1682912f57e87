import type { Host, Output, Visible } from '../../../host.ts'
import { isPlain } from './unicode.ts'
import { own } from './visible.ts'

/** A last line on a terminal that says how far a run has come. Other output takes its place. */
export class StatusLine {
  readonly #host: Host
  /** Something larger that is drawn on the terminal, and makes way as well. */
  above: { giveWay(): void } | undefined
  #isShown = false
  /** Whether the cursor is at the start of a line: half a JSON document must not be wiped. */
  #isAtStart = true

  constructor(host: Host) {
    this.#host = host
  }

  /** Shows a text instead of the one before. A text that does not fit into one line could not be wiped. */
  show(text: Visible): void {
    const { isTTY, columns } = this.#host.stderr
    // Some terminals do not know their width, and say 0.
    if (!isTTY || !this.#isAtStart || text.length >= (columns || 80) || isPlain(this.#host)) return
    this.#isShown = true
    this.#write(own`\r${text}\u001b[K`)
  }

  clear(): void {
    if (this.#isShown) this.#write(own`\r\u001b[K`)
    this.#isShown = false
  }

  /** Makes way for output, which follows at once. */
  giveWay(to: Output, data: string | Uint8Array): void {
    if (!to.isTTY) return
    this.above?.giveWay()
    this.clear()
    this.#isAtStart = data.at(-1) === '\n' || data.at(-1) === 10
  }

  #write(text: Visible): void {
    void this.#host.stderr.write(text).catch(() => {})
  }
}
