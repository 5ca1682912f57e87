export class BodyBudget {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false
    this.#free -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#free += bytes
  }
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
    if (!this.#budget.take(more)) return false
    this.#bytes = bytes
    return true
  }

  release(): void {
    this.#budget.giveBack(this.#bytes)
    this.#bytes = 0
  }
}
