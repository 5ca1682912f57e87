import type { Terminal, Visible } from '../../../../host.ts'
import { joinVisible, own } from '../../../output/terminal/visible.ts'
import { measureText } from '../../../output/terminal/width.ts'

const eraseScreen = own`\u001b[H\u001b[2J`
const eraseBelow = own`\u001b[J`
const eraseLine = own`\u001b[K`
const moveUp = (lines: number) => (lines > 0 ? own`\u001b[${lines}A` : own``)

type Size = Pick<Terminal, 'columns' | 'rows'>

/** Terminal area that is redrawn in place below the command line. The last frame stays on the terminal. */
export class Screen {
  readonly #terminal: Size
  readonly #write: (text: Visible) => Promise<void>
  #lines: readonly Visible[] = []
  #width = 0
  #rows: number | undefined

  constructor(terminal: Size, write: (text: Visible) => Promise<void>) {
    this.#terminal = terminal
    this.#write = write
  }

  async draw(lines: readonly Visible[]): Promise<void> {
    const text = this.#difference(lines)
    this.#lines = lines
    this.#rows = this.#terminal.rows
    this.#width = lines.reduce((max, line) => Math.max(max, measureText(line)), 0)
    if (text !== '') await this.#write(text)
  }

  async clear(): Promise<void> {
    if (this.#lines.length === 0) return
    const text = own`${moveUp(this.#lines.length)}\r${eraseBelow}`
    this.#lines = []
    await this.#write(text)
  }

  #difference(lines: readonly Visible[]): Visible {
    const before = this.#lines
    // Terminals rewrap lines in different ways after a resize, so the position of the lines is unknown.
    if (this.#width > (this.#terminal.columns || Number.POSITIVE_INFINITY))
      return own`${eraseScreen}${joinVisible(lines.map((line) => own`${line}\n`))}`
    // If the number of rows has changed, lines may have moved.
    const isSame = (i: number) => lines[i] === before[i] && this.#terminal.rows === this.#rows
    if (lines.length === before.length && lines.every((_, i) => isSame(i))) return own``
    const drawn = lines.map((line, i) => (isSame(i) ? own`\n` : own`${eraseLine}${line}\n`))
    const rest = lines.length < before.length ? eraseBelow : own``
    return own`${moveUp(before.length)}\r${joinVisible(drawn)}${rest}`
  }
}
