/** Gate that counts running requests and can hold new ones, so that no request runs during a reset. */
export class Gate {
  #running = 0
  #closed: Promise<void> | undefined
  #onEmpty = () => {}

  async pass<T>(work: () => Promise<T>): Promise<T> {
    while (this.#closed) await this.#closed
    this.#running++
    try {
      return await work()
    } finally {
      if (--this.#running === 0) this.#onEmpty()
    }
  }

  /** Runs `work` while no request runs. Requests that arrive meanwhile wait. */
  async close<T>(work: () => Promise<T>): Promise<T> {
    let open = () => {}
    this.#closed = new Promise((resolve) => {
      open = resolve
    })
    try {
      if (this.#running > 0)
        await new Promise<void>((resolve) => {
          this.#onEmpty = resolve
        })
      return await work()
    } finally {
      this.#closed = undefined
      open()
    }
  }
}
