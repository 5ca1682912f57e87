import { soon } from './waiting.ts'

/** A queue that a test can wait at: what happens is put in, and taken out in the same order. */
export class Inbox<T> {
  /** Everything that was ever put in. */
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
   * What comes next, now or later.
   * @throws when nothing comes soon
   */
  next(): Promise<T> {
    return soon(`${this.#what} (number ${this.#taken + 1})`, this.#take(), () => this.all)
  }

  /**
   * The first from here on that is as expected; those before it are passed over.
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
