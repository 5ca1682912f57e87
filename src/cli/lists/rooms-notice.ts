import type { Context } from '../kernel/context.ts'

/** Number of rooms above which a command prints a notice. */
const maxUnannounced = 1000

export type Qualifier = 'about' | 'up to' | 'up to about'

/** Notice of a command that sends requests for each of many rooms. Printed at most once. */
export class RoomsNotice {
  #isPrinted = false
  readonly #context: Context

  constructor(context: Context) {
    this.#context = context
  }

  /** Prints the notice for the expected number of rooms or, if it is unknown, for the found rooms. */
  async expect(total: number | undefined, found = 0, qualifier?: Qualifier): Promise<void> {
    if (this.#isPrinted || (total ?? found) <= maxUnannounced) return
    this.#isPrinted = true
    const count = total === undefined ? `more than ${maxUnannounced}` : `${total}`
    const rooms = qualifier === undefined ? count : `${qualifier} ${count}`
    await this.#context.notice(`reading ${rooms} rooms takes at least one request for each room`)
  }
}
