import { soon } from './waiting.ts'

/** A queue that a test can wait on: items are put in, and taken out in the same order. */
export class Inbox<T> {
  /** Every item so far. */
  readonly all: T[] = []
  readonly #what: string
  #taken = 0
  readonly #waiting: ((item: T) => void)[] = []

  /** @param what what one item is, as in “a line on standard error” */
  constructor(what = 'an item') {
    this.#what = what
  }

  put(item: T): void {
    this.all.push(item)
    this.#waiting.shift()?.(item)
  }

  /**
   * The next item, as soon as there is one.
   * @throws when none comes soon
   */
  next(): Promise<T> {
    return soon(`${this.#what} (number ${this.#taken + 1})`, this.#take(), () => this.all)
  }

  /**
   * The next item that is as expected; items before it are skipped.
   * @throws when none comes soon
   */
  find(what: string, holds: (item: T) => boolean): Promise<T> {
    const search = async (): Promise<T> => {
      const item = await this.#take()
      return holds(item) ? item : search()
    }
    return soon(`${this.#what} ${what}`, search(), () => this.all)
  }

  #take(): Promise<T> {
    const at = this.#taken++
    return new Promise((resolve) => {
      if (at < this.all.length) resolve(this.all[at] as T)
      else this.#waiting.push(resolve)
    })
  }
}
