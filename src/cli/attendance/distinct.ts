/** Counter of distinct values. Allocates a set only for the second value, to save memory. */
export class Distinct<T> {
  #first: T | undefined
  #all: Set<T> | undefined

  add(value: T): void {
    if (this.#all) this.#all.add(value)
    else if (this.#first === undefined) this.#first = value
    else if (this.#first !== value) this.#all = new Set([this.#first, value])
  }

  get size(): number {
    return this.#all?.size ?? (this.#first === undefined ? 0 : 1)
  }
}
