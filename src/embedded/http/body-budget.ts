/** Limits the memory of all request bodies that a server holds at a time. */
export class BodyBudget {
  #free: number

  /** @param bytes maximum of all bodies together */
  constructor(bytes: number) {
    this.#free = bytes
  }

  /** Takes bytes of the budget. Returns false, without a change, when fewer are free. */
  take(bytes: number): boolean {
    if (bytes > this.#free) return false
    this.#free -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#free += bytes
  }
}

/** Memory of one body. */
export class BodyReservation {
  readonly #budget: BodyBudget
  #bytes = 0

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Extends the reservation to a number of bytes. Returns false, without a change, when the budget is used up. */
  extend(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (!this.#budget.take(more)) return false
    this.#bytes = bytes
    return true
  }

  release(): void {
    this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
  }
}
