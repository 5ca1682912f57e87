import type { Host } from '../../host.ts'

/** Shortest pause that is announced, in milliseconds. */
const longHoldMs = 5000
/** A timer set for longer fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** Lets jobs begin no faster than the service can take them. */
export class RateLimiter {
  readonly #clock: Pick<Host, 'monotonic' | 'sleep'>
  readonly #gapMs: number
  readonly #onHold: (seconds: number) => void
  #isHeld = false
  #opensAt = Number.NEGATIVE_INFINITY
  #nextAt = Number.NEGATIVE_INFINITY

  /**
   * @param rate how many jobs may begin in a second
   * @param onHold told when everybody is held back for long, in seconds
   */
  constructor(
    clock: Pick<Host, 'monotonic' | 'sleep'>,
    rate: number | undefined,
    onHold: (seconds: number) => void = () => {},
  ) {
    this.#clock = clock
    this.#onHold = onHold
    this.#gapMs = rate === undefined ? 0 : 1000 / rate
  }

  /** Lets nothing begin for so long: the service has had enough for now. */
  hold(ms: number): void {
    const opensAt = this.#clock.monotonic() + ms
    // Said once: the other requests that are under way are told the same.
    if (ms >= longHoldMs && opensAt > this.#opensAt + longHoldMs / 2) this.#onHold(Math.round(ms / 1000))
    this.#opensAt = Math.max(this.#opensAt, opensAt)
    this.#isHeld = true
  }

  /** Resolves when the next job may begin, or when the signal aborts; undefined when it may begin now. */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#gapMs === 0 && !this.#isHeld) return undefined
    return this.#wait(signal)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let slot = this.#slot(); !signal.aborted; ) {
      const waitMs = slot - this.#clock.monotonic()
      if (waitMs > 0) await this.#clock.sleep(Math.min(waitMs, longestTimerMs), signal).catch(() => {})
      else if (slot >= this.#opensAt) return
      // Held back meanwhile: all that waited would begin at the same moment.
      else slot = this.#slot()
    }
  }

  /** The next moment at which a job may begin. */
  #slot(): number {
    const slot = Math.max(this.#clock.monotonic(), this.#nextAt, this.#opensAt)
    this.#nextAt = slot + this.#gapMs
    return slot
  }
}
