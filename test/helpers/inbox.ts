/** A queue that can be waited at: what happens is put in, a test takes it out in the same order. */
export class Inbox<T> {
  /** Everything that was ever put in. */
  readonly all: T[] = []
  #taken = 0
  readonly #waiting: ((item: T) => void)[] = []

  put(item: T): void {
    this.all.push(item)
    const waiting = this.#waiting.shift()
    if (!waiting) return
    this.#taken++
    waiting(item)
  }

  /** What comes next, now or later. */
  next(): Promise<T> {
    return new Promise((resolve) => {
      if (this.#taken === this.all.length) return void this.#waiting.push(resolve)
      resolve(this.all[this.#taken++] as T)
    })
  }
}
