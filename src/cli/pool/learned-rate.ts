import type { Host } from '../../host.ts'

/** Period over which accepted requests are counted, in milliseconds. */
const periodMs = 1000
const slots = 100
const slotMs = periodMs / slots
/** Ratio of the learned rate to the rate that the service accepted. */
const margin = 0.96
/** Interval between attempts at a higher rate, in milliseconds. */
const probeMs = 10_000
const probeGrowth = 1.05
/** Minimum learned rate, in requests per second. */
const minRate = 0.1

/** Request rate that the service accepts, learned from its 429 responses. */
export class LearnedRate {
  readonly #clock: Pick<Host, 'monotonic'>
  /** Number of accepted requests in each time slot of the last period. */
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

  /** Records an accepted request. Raises the rate by 5 % if the rate has not changed for ten seconds. */
  onAccepted(): void {
    const now = this.#advance()
    const index = this.#slot % slots
    this.#accepted[index] = (this.#accepted[index] ?? 0) + 1
    this.#hasAccepted = true
    if (this.#perSecond === undefined || now - this.#changedAt < probeMs) return
    this.#perSecond *= probeGrowth
    this.#changedAt = now
  }

  /** Records a 429 response and lowers the rate. Ignores 429 responses in the first second of the run. */
  onRefused(): void {
    const now = this.#advance()
    const age = now - (this.#startedAt ?? now)
    // Without accepted requests since the last change, a refusal gives no information about the rate.
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

  /** Advances to the current time slot, and clears the slots since the last call. Returns the current time. */
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
