/** Memory that all bodies share. */
interface BodyBudget {
  freeBytes: number
}

export class BodyReservation {
  readonly #budget: BodyBudget
  #bytes = 0

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Extends the reservation to a total of `bytes`. Returns false if too few bytes are free. */
  extend(bytes: number): boolean {
    const more = bytes - this.#bytes
    if (more <= 0) return true
    if (more > this.#budget.freeBytes) return false
    this.#budget.freeBytes -= more
    this.#bytes = bytes
    return true
  }

  release(): void {
    this.#budget.freeBytes += this.#bytes
    this.#bytes = 0
  }
}
