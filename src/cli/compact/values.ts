import { CompactTexts } from './texts.ts'

/** Store of values that are mostly texts. Each value is identified by a number; null is 0. */
export class CompactValues {
  readonly #texts = new CompactTexts()
  readonly #others: unknown[] = []

  place(value: unknown): number {
    if (value === null) return 0
    return typeof value === 'string' ? this.#texts.place(value) + 1 : -this.#others.push(value)
  }

  valueAt(number: number): unknown {
    if (number === 0) return null
    return number > 0 ? this.#texts.textAt(number - 1) : this.#others[-number - 1]
  }

  clear(): void {
    this.#texts.clear()
    this.#others.length = 0
  }
}
