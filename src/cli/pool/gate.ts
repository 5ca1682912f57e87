import type { Clock } from '../../api/retry.ts'

/** A pause that people are told of, in milliseconds. */
const longHoldMs = 5000

/** What people are told of it. */
export function busy(seconds: number): string {
  return `the service is busy; nothing is sent for ${seconds} s`
}

/** Lets jobs begin no faster than the service can take them. */
export class Gate {
  readonly #clock: Clock
  readonly #gapMs: number
  readonly #onHold: (seconds: number) => void
  #opensAt = 0
  #nextAt = 0

  /** @param onHold told when everybody is held back for long, in seconds */
  constructor(clock: Clock, rate: number | undefined, onHold: (seconds: number) => void = () => {}) {
    this.#clock = clock
    this.#onHold = onHold
    this.#gapMs = rate === undefined ? 0 : 1000 / rate
  }

  /** Nothing begins for so long: the service has had enough for now. */
  hold(ms: number): void {
    const opensAt = this.#clock.now() + ms
    // Said once: the others that are under way hear the same.
    if (ms >= longHoldMs && opensAt > this.#opensAt + longHoldMs / 2) this.#onHold(Math.round(ms / 1000))
    this.#opensAt = Math.max(this.#opensAt, opensAt)
  }

  /** Resolves when the next job may begin, or when the signal aborts. */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#gapMs === 0 && this.#opensAt === 0) return undefined
    return this.#wait(signal)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let slot = this.#slot(); !signal.aborted; ) {
      const waitMs = slot - this.#clock.now()
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal).catch(() => {})
      else if (slot >= this.#opensAt) return
      // Held back meanwhile: all that waited would begin at the same moment.
      else slot = this.#slot()
    }
  }

  /** The next moment at which a job may begin. */
  #slot(): number {
    const slot = Math.max(this.#clock.now(), this.#nextAt, this.#opensAt)
    this.#nextAt = slot + this.#gapMs
    return slot
  }
}
