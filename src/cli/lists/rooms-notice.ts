import type { Context } from '../kernel/context.ts'

/** Number of rooms above which a command prints a notice. */
const maxUnannounced = 1000

export type Qualifier = 'about' | 'up to' | 'up to about'

/** Notice of a command that sends requests for each of many rooms. Printed at most once. */
export class RoomsNotice {
  readonly #context: Context
  #isPrinted = false

  constructor(context: Context) {
    this.#context = context
  }

  async expect(rooms: number, qualifier?: Qualifier): Promise<void> {
    await this.#print(rooms, qualifier === undefined ? `${rooms}` : `${qualifier} ${rooms}`)
  }

  /** Prints the notice for an unknown total if many rooms were found. */
  async found(rooms: number): Promise<void> {
    await this.#print(rooms, `more than ${maxUnannounced}`)
  }

  async #print(rooms: number, label: string): Promise<void> {
    if (this.#isPrinted || rooms <= maxUnannounced) return
    this.#isPrinted = true
    await this.#context.notice(`reading ${label} rooms takes at least one request for each room`)
  }
}
