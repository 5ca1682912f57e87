import type { Host } from '../../host.ts'

/** Minimum pause that is announced, in milliseconds. */
const announcedHoldMs = 5000
/** Maximum timer delay, in milliseconds; longer timers fire immediately. */
const maxTimerMs = 2 ** 31 - 1

/** Scheduler of the start times of jobs and requests. */
export class RateLimiter {
  readonly #clock: Pick<Host, 'monotonic' | 'sleep'>
  readonly #gapMs: number
  readonly #onHold: (seconds: number) => void
  readonly #learned: { readonly gapMs: number }
  #isHeld = false
  #opensAt = Number.NEGATIVE_INFINITY
  #nextJobAt = Number.NEGATIVE_INFINITY
  #nextRequestAt = Number.NEGATIVE_INFINITY
  /** Number of started jobs whose first request already has a slot. */
  #reserved = 0

  /**
   * @param rate maximum number of jobs started per second
   * @param onHold called with the duration of a long pause, in seconds
   * @param learned learned interval between requests, in milliseconds; 0 for no limit
   */
  constructor(
    clock: Pick<Host, 'monotonic' | 'sleep'>,
    rate: number | undefined,
    onHold: (seconds: number) => void = () => {},
    learned: { readonly gapMs: number } = { gapMs: 0 },
  ) {
    this.#clock = clock
    this.#onHold = onHold
    this.#learned = learned
    this.#gapMs = rate === undefined ? 0 : 1000 / rate
  }

  /** True when requests wait for the learned rate. */
  get isLimiting(): boolean {
    const { gapMs } = this.#learned
    return gapMs > 0 && this.#nextRequestAt > this.#clock.monotonic() + gapMs
  }

  /** Pauses all jobs and requests for `ms` milliseconds. */
  hold(ms: number): void {
    const opensAt = this.#clock.monotonic() + ms
    // One announcement is enough, because the other requests in flight get a similar response.
    if (ms >= announcedHoldMs && opensAt > this.#opensAt + announcedHoldMs / 2)
      this.#onHold(Math.round(ms / 1000))
    this.#opensAt = Math.max(this.#opensAt, opensAt)
    this.#isHeld = true
  }

  /**
   * Resolves when the next job may start or the signal aborts. Returns undefined when the job may start now. The first
   * request of the job uses the same slot.
   */
  pass(signal: AbortSignal): Promise<void> | undefined {
    if (this.#gapMs === 0 && !this.#isHeld && this.#learned.gapMs === 0) return undefined
    return this.#wait(signal, () => this.#reserveJob()).then(() => {
      if (this.#learned.gapMs > 0) this.#reserved++
    })
  }

  /** Resolves when the next request may start or the signal aborts. Returns undefined when it may start now. */
  passRequest(signal: AbortSignal): Promise<void> | undefined {
    if (!this.#isHeld && this.#learned.gapMs === 0) return undefined
    if (this.#clock.monotonic() >= this.#opensAt) {
      if (this.#learned.gapMs === 0) return undefined
      if (this.#reserved > 0) {
        this.#reserved--
        return undefined
      }
    }
    return this.#wait(signal, () => this.#reserveRequest(Number.NEGATIVE_INFINITY))
  }

  async #wait(signal: AbortSignal, reserve: () => number): Promise<void> {
    for (let slot = reserve(); !signal.aborted; ) {
      const waitMs = slot - this.#clock.monotonic()
      if (waitMs > 0) await this.#clock.sleep(Math.min(waitMs, maxTimerMs), signal).catch(() => {})
      else if (slot >= this.#opensAt) return
      // A pause began meanwhile, so each waiting job reserves a new slot after the pause.
      else slot = reserve()
    }
  }

  #reserveJob(): number {
    const slot = this.#reserveRequest(this.#nextJobAt)
    this.#nextJobAt = slot + this.#gapMs
    return slot
  }

  /** Reserves a slot and returns its start, a monotonic time in milliseconds that is not before `earliest`. */
  #reserveRequest(earliest: number): number {
    const slot = Math.max(this.#clock.monotonic(), earliest, this.#nextRequestAt, this.#opensAt)
    this.#nextRequestAt = slot + this.#learned.gapMs
    return slot
  }
}
