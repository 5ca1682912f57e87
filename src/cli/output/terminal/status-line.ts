import type { Host, Output, Visible } from '../../../host.ts'
import { isAsciiOnly } from './unicode.ts'
import { own } from './visible.ts'

export class StatusLine {
  /** Drawing above the status line; hidden before other output. */
  above: { hideDuring(): void } | undefined
  #text: Visible | undefined
  #isShown = false
  /** False within a line, where the status line would erase other output. */
  #isAtStart = true
  readonly #host: Host

  constructor(host: Host) {
    this.#host = host
  }

  /** Skips a text that does not fit on one line, because several lines cannot be erased. */
  show(text: Visible): void {
    const { isTTY, columns } = this.#host.stderr
    // Some terminals report a width of 0.
    if (!isTTY || !this.#isAtStart || text.length >= (columns || 80) || isAsciiOnly(this.#host)) return
    this.#text = text
    this.#isShown = true
    this.#write(own`\r${text}\u001b[K`)
  }

  clear(): void {
    this.#hide()
    this.#text = undefined
  }

  hideDuring(to: Output, data: string | Uint8Array): void {
    if (!to.isTTY) return
    this.above?.hideDuring()
    this.#hide()
    this.#isAtStart = data.at(-1) === '\n' || data.at(-1) === 10
  }

  restore(): void {
    if (this.#text !== undefined && !this.#isShown) this.show(this.#text)
  }

  #hide(): void {
    if (this.#isShown) this.#write(own`\r\u001b[K`)
    this.#isShown = false
  }

  #write(text: Visible): void {
    void this.#host.stderr.write(text).catch(() => {})
  }
}
