import type { Host } from '../../host.ts'

/** Minimum pause that is announced, in milliseconds. */
const announcedHoldMs = 5000
/** Maximum timer delay, in milliseconds; longer timers fire immediately. */
const maxTimerMs = 2 ** 31 - 1

export class RateLimiter {
  readonly #clock: Pick<Host, 'monotonic' | 'sleep'>
  readonly #gapMs: number
  readonly #onHold: (seconds: number) => void
  #isHeld = false
  #opensAt = Number.NEGATIVE_INFINITY
  #nextAt = Number.NEGATIVE_INFINITY

  /**
   * @param rate maximum number of jobs started per second
   * @param onHold called when all jobs pause for long, with the pause in seconds
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

  /** Pauses all jobs for the given milliseconds. */
  hold(ms: number): void {
    const opensAt = this.#clock.monotonic() + ms
    // Announced once: the other requests in flight get the same response.
    if (ms >= announcedHoldMs && opensAt > this.#opensAt + announcedHoldMs / 2)
      this.#onHold(Math.round(ms / 1000))
    this.#opensAt = Math.max(this.#opensAt, opensAt)
    this.#isHeld = true
  }

  /** Resolves when the next job may start or the signal aborts; undefined when it may start now. */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#gapMs === 0 && !this.#isHeld) return undefined
    return this.#wait(signal)
  }

  async #wait(signal: AbortSignal): Promise<void> {
    for (let slot = this.#reserveSlot(); !signal.aborted; ) {
      const waitMs = slot - this.#clock.monotonic()
      if (waitMs > 0) await this.#clock.sleep(Math.min(waitMs, maxTimerMs), signal).catch(() => {})
      else if (slot >= this.#opensAt) return
      // A pause began meanwhile; new slots spread the waiting jobs.
      else slot = this.#reserveSlot()
    }
  }

  #reserveSlot(): number {
    const slot = Math.max(this.#clock.monotonic(), this.#nextAt, this.#opensAt)
    this.#nextAt = slot + this.#gapMs
    return slot
  }
}
