import stringWidth from 'string-width'

const esc = '\u001b'
const sequences = new RegExp(`${esc}\\[(\\d*)([A-Za-z])|\r|\n|[^${esc}\r\n]`, 'gu')

/** Emulator of the control sequences that the program uses. A resize truncates lines without wrapping. */
export class Emulator {
  #lines: string[] = ['']
  #row = 0
  #column = 0
  /** Lines that have scrolled off the top of the screen. */
  readonly scrolled: string[] = []

  constructor(
    public columns: number,
    public rows: number,
  ) {}

  write(text: string): void {
    let end = 0
    for (const match of text.matchAll(sequences)) {
      if (match.index !== end) break
      end += match[0].length
      const [all, count, letter] = match
      if (letter) this.#control(letter, count ?? '')
      else if (all === '\r') this.#column = 0
      else if (all === '\n') this.#nextLine()
      else this.#put(all)
    }
    if (end < text.length) throw new Error(`no control sequence of ours: ${JSON.stringify(text.slice(end))}`)
  }

  /** Text on the screen, without trailing white space. */
  get screen(): string {
    return this.#lines
      .map((line) => line.trimEnd())
      .join('\n')
      .trimEnd()
  }

  resize(columns: number, rows: number): void {
    Object.assign(this, { columns, rows })
    this.#lines = this.#lines.map((line) => line.slice(0, columns))
    this.#scroll()
  }

  #control(letter: string, count: string): void {
    const line = this.#lines[this.#row] ?? ''
    switch (letter) {
      case 'A':
        this.#row = Math.max(0, this.#row - Number(count || 1))
        return
      case 'H':
        this.#row = this.#column = 0
        return
      case 'J':
        if (count === '2') this.#lines = this.#lines.map(() => '')
        else {
          this.#lines.length = this.#row + 1
          this.#lines[this.#row] = line.slice(0, this.#column)
        }
        return
      case 'K':
        this.#lines[this.#row] = line.slice(0, this.#column)
        return
      // Colors do not change the text.
      case 'm':
        return
      default:
        throw new Error(`no control sequence of ours: ESC [ ${count}${letter}`)
    }
  }

  #put(character: string): void {
    if (this.#column >= this.columns) {
      this.#column = 0
      this.#nextLine()
    }
    const line = (this.#lines[this.#row] ?? '').padEnd(this.#column)
    this.#lines[this.#row] = line.slice(0, this.#column) + character + line.slice(this.#column + 1)
    this.#column += Math.max(1, stringWidth(character))
  }

  #nextLine(): void {
    this.#row++
    this.#column = 0
    while (this.#lines.length <= this.#row) this.#lines.push('')
    this.#scroll()
  }

  #scroll(): void {
    const surplus = this.#lines.length - this.rows
    if (surplus <= 0) return
    this.scrolled.push(...this.#lines.splice(0, surplus))
    this.#row = Math.max(0, this.#row - surplus)
  }
}
