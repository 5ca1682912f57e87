import type { Terminal, Visible } from '../../../../host.ts'
import { joined, own } from '../../../output/terminal/visible.ts'
import { widthOfText } from '../../../output/terminal/width.ts'

// The control sequences of a terminal.
const eraseScreen = own`\u001b[H\u001b[2J`
const eraseBelow = own`\u001b[J`
const eraseLine = own`\u001b[K`
const up = (lines: number) => (lines > 0 ? own`\u001b[${lines}A` : own``)

type Size = Pick<Terminal, 'columns' | 'rows'>

/** A place below the command line that is drawn again and again, without another screen: what was drawn last stays. */
export class Screen {
  readonly #terminal: Size
  readonly #write: (text: Visible) => Promise<void>
  #lines: readonly Visible[] = []
  /** The width of the widest line. */
  #width = 0
  /** How high the terminal was. */
  #rows: number | undefined

  /** @param write puts text on the terminal as it is */
  constructor(terminal: Size, write: (text: Visible) => Promise<void>) {
    this.#terminal = terminal
    this.#write = write
  }

  /** Draws lines in place of those before. They must be fewer than the terminal has, and no wider. */
  async draw(lines: readonly Visible[]): Promise<void> {
    const text = this.#difference(lines)
    this.#lines = lines
    this.#rows = this.#terminal.rows
    this.#width = lines.reduce((most, line) => Math.max(most, widthOfText(line)), 0)
    if (text !== '') await this.#write(text)
  }

  /** Takes away what is drawn, so that something else can be written. */
  async clear(): Promise<void> {
    if (this.#lines.length === 0) return
    const text = own`${up(this.#lines.length)}\r${eraseBelow}`
    this.#lines = []
    await this.#write(text)
  }

  #difference(lines: readonly Visible[]): Visible {
    const before = this.#lines
    // Terminals differ in what they do with lines that do not fit any more: nobody knows where anything is.
    if (this.#width > (this.#terminal.columns || Number.POSITIVE_INFINITY))
      return own`${eraseScreen}${joined(lines.map((line) => own`${line}\n`))}`
    // In a window that is lower now, the lines are further up, or out of it.
    const isSame = (i: number) => lines[i] === before[i] && this.#terminal.rows === this.#rows
    if (lines.length === before.length && lines.every((_, i) => isSame(i))) return own``
    const drawn = lines.map((line, i) => (isSame(i) ? own`\n` : own`${eraseLine}${line}\n`))
    const rest = lines.length < before.length ? eraseBelow : own``
    return own`${up(before.length)}\r${joined(drawn)}${rest}`
  }
}
