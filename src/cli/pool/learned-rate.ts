import type { Host } from '../../host.ts'

/** Period over which accepted requests are counted, in milliseconds. */
const periodMs = 1000
const slots = 100
const slotMs = periodMs / slots
/** Margin below the rate that the service has accepted. */
const margin = 0.96
/** Interval between attempts at a higher rate, in milliseconds. */
const probeMs = 10_000
const probeGrowth = 1.05
/** Minimum learned rate, per second. */
const minRate = 0.1

/** Rate of requests that the service accepts, learned from its refusals. */
export class LearnedRate {
  readonly #clock: Pick<Host, 'monotonic'>
  /** Accepted requests per slot of time, over the last period. */
  readonly #accepted = new Uint32Array(slots)
  #slot = 0
  #startedAt: number | undefined
  #perSecond: number | undefined
  #changedAt = Number.NEGATIVE_INFINITY
  #hasAccepted = false

  constructor(clock: Pick<Host, 'monotonic'>) {
    this.#clock = clock
  }

  /** Milliseconds between requests; 0 until the service refuses requests. */
  get gapMs(): number {
    return this.#perSecond === undefined ? 0 : 1000 / this.#perSecond
  }

  /** Records an accepted request. Raises the rate by 5 % every ten seconds. */
  onAccepted(): void {
    const now = this.#advance()
    const index = this.#slot % slots
    this.#accepted[index] = (this.#accepted[index] ?? 0) + 1
    this.#hasAccepted = true
    if (this.#perSecond === undefined || now - this.#changedAt < probeMs) return
    this.#perSecond *= probeGrowth
    this.#changedAt = now
  }

  /** Records a refusal for too many requests. Learns nothing from a burst at the start of the run. */
  onRefused(): void {
    const now = this.#advance()
    const age = now - (this.#startedAt ?? now)
    // Without accepted requests in between, a refusal says nothing about the rate.
    if (age < periodMs || now - this.#changedAt < periodMs || !this.#hasAccepted) return
    const accepted = this.#accepted.reduce((sum, count) => sum + count, 0)
    const rate = this.#perSecond
    if (rate === undefined && accepted === 0) return
    const next =
      rate === undefined ? margin * accepted : Math.max(rate / 2, margin * Math.min(rate, accepted))
    this.#perSecond = Math.max(next, minRate)
    this.#changedAt = now
    this.#hasAccepted = false
  }

  /** Clears the slots since the last call. */
  #advance(): number {
    const now = this.#clock.monotonic()
    this.#startedAt ??= now
    const slot = Math.floor(now / slotMs)
    if (slot - this.#slot >= slots) this.#accepted.fill(0)
    else for (let passed = this.#slot + 1; passed <= slot; passed++) this.#accepted[passed % slots] = 0
    this.#slot = slot
    return now
  }
}
