import { soon } from './waiting.ts'

/** Queue that a test can wait on. Items are removed in the order of their arrival. */
export class Inbox<T> {
  /** All items, including removed ones. */
  readonly all: T[] = []
  readonly #what: string
  #taken = 0
  readonly #waiting: ((item: T) => void)[] = []

  /** @param what name of an item, as in “a line on standard error” */
  constructor(what = 'an item') {
    this.#what = what
  }

  put(item: T): void {
    this.all.push(item)
    this.#waiting.shift()?.(item)
  }

  /**
   * Waits for the next item.
   * @throws {Error} if no item arrives in time
   */
  next(): Promise<T> {
    return soon(`${this.#what} (number ${this.#taken + 1})`, this.#take(), () => this.all)
  }

  /**
   * Takes items until one matches.
   * @throws {Error} if no item matches in time
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
