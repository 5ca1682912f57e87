import type { Clock, TimerKind } from './clock.ts'

interface Timer {
  /** Monotonic time of this clock at which the timer fires, in milliseconds. */
  at: number
  kind: TimerKind | undefined
  work: () => void
  disarm: () => void
}

interface Times {
  now: number
  monotonic: number
}

/** Clock of a service under test. Starts at the real time. */
export class ServiceClock implements Clock {
  readonly #real: Clock
  readonly #timers = new Set<Timer>()
  /** Time of this clock minus the real time, in milliseconds. */
  #shift: Times = { now: 0, monotonic: 0 }
  /** Time of this clock while it is frozen or advances; undefined while it runs. */
  #held: Times | undefined
  #isFrozen = false
  #isAdvancing = false

  constructor(real: Clock) {
    this.#real = real
  }

  now(): number {
    return this.#held ? Math.round(this.#held.now) : this.#real.now() + this.#shift.now
  }

  monotonic(): number {
    return this.#held?.monotonic ?? this.#real.monotonic() + this.#shift.monotonic
  }

  after(ms: number, work: () => void, kind?: TimerKind): () => void {
    const timer: Timer = { at: this.monotonic() + ms, kind, work, disarm: () => {} }
    this.#timers.add(timer)
    if (!this.#held) this.#arm(timer)
    return () => {
      timer.disarm()
      this.#timers.delete(timer)
    }
  }

  get isFrozen(): boolean {
    return this.#isFrozen
  }

  freeze(): void {
    this.#isFrozen = true
    this.#hold()
  }

  resume(): void {
    this.#isFrozen = false
    if (!this.#isAdvancing) this.#release()
  }

  /**
   * Moves the clock forward by `ms` milliseconds. Due ticks fire once, at the end.
   * @param settle waits for the effects of fired timers
   */
  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    this.#isAdvancing = true
    this.#hold()
    try {
      const end = this.monotonic() + ms
      for (let timer = this.#findFirst(end); timer; timer = this.#findFirst(end)) {
        this.#moveTo(Math.max(timer.at, this.monotonic()))
        this.#fire(timer)
        await settle()
      }
      this.#moveTo(end)
      for (const timer of [...this.#timers]) if (timer.at <= end) this.#fire(timer)
      await settle()
    } finally {
      this.#isAdvancing = false
      if (!this.#isFrozen) this.#release()
    }
  }

  /** Resets the clock to the real time. Call when no timer is pending. */
  reset(): void {
    this.#isFrozen = false
    this.#held = undefined
    this.#shift = { now: 0, monotonic: 0 }
  }

  #findFirst(end: number): Timer | undefined {
    let first: Timer | undefined
    for (const timer of this.#timers)
      if (timer.kind !== 'tick' && timer.at <= end && (!first || timer.at < first.at)) first = timer
    return first
  }

  #fire(timer: Timer): void {
    if (this.#timers.delete(timer)) timer.work()
  }

  #moveTo(monotonic: number): void {
    const { now, monotonic: before } = this.#held ?? { now: 0, monotonic }
    this.#held = { now: now + monotonic - before, monotonic }
  }

  #hold(): void {
    if (this.#held) return
    this.#held = { now: this.now(), monotonic: this.monotonic() }
    for (const timer of this.#timers) timer.disarm()
  }

  #release(): void {
    if (!this.#held) return
    // Computes each shift from its own clock, so that rounding never sets a clock back.
    this.#shift = { now: this.now() - this.#real.now(), monotonic: this.monotonic() - this.#real.monotonic() }
    this.#held = undefined
    for (const timer of this.#timers) this.#arm(timer)
  }

  #arm(timer: Timer): void {
    timer.disarm = this.#real.after(Math.max(0, timer.at - this.monotonic()), () => this.#fire(timer))
  }
}
