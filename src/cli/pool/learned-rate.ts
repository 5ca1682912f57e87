import type { Host } from '../../host.ts'

/** Minimum duration of a measurement, in milliseconds. */
const periodMs = 1000
/** Ratio of the learned rate to the rate that the service accepted. */
const margin = 0.97
/** Interval between attempts at a higher rate, in milliseconds, and the relative step of an attempt. */
const probeMs = 10_000
const probeStep = 0.05
/** Interval between attempts during a search, in milliseconds. A success doubles the step, a refusal halves it. */
const searchMs = 1500
const searchStep = 0.1
const maxSearchStep = 0.5
/** Minimum ratio of the rate after a refusal to the rate before it. */
const maxFall = 0.75
/** Ratio of new to previous rate below which a search starts, because the measurement may be too low. */
const certainFall = 0.9
/** Minimum learned rate, in requests per second. */
const minRate = 0.1

const slots = 10
const slotMs = periodMs / slots

/** Counter of the requests in the last `periodMs` milliseconds. */
class RecentCount {
  readonly #counts = new Uint32Array(slots)
  #slot = 0

  add(now: number): void {
    this.#advance(now)
    const index = this.#slot % slots
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
  }

  sum(now: number): number {
    this.#advance(now)
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** Clears the slots that began since the last call. */
  #advance(now: number): void {
    const slot = Math.floor(now / slotMs)
    if (slot - this.#slot >= slots) this.#counts.fill(0)
    else for (let passed = this.#slot + 1; passed <= slot; passed++) this.#counts[passed % slots] = 0
    this.#slot = slot
  }
}

/** Request rate that the service accepts, learned from its 429 responses. */
export class LearnedRate {
  readonly #clock: Pick<Host, 'monotonic'>
  #perSecond: number | undefined
  /** Rate before the current attempt at a higher rate, per second; undefined outside an attempt. */
  #before: number | undefined
  #step = searchStep
  #isSearching = true
  #hasOvershot = false
  #changedAt = Number.NEGATIVE_INFINITY
  #hasRefused = false
  /** Start of the measurement on the monotonic clock, in milliseconds. */
  #measuredFrom = 0
  #accepted = 0
  /** Counter of accepted requests from the first refusal until the rate is known. */
  #recent: RecentCount | undefined

  constructor(clock: Pick<Host, 'monotonic'>) {
    this.#clock = clock
  }

  /** Milliseconds between requests; 0 until the service refuses requests. */
  get gapMs(): number {
    return this.#perSecond === undefined ? 0 : 1000 / this.#perSecond
  }

  /** Records an accepted request. Raises the rate from time to time. */
  onAccepted(): void {
    if (!this.#hasRefused) return
    const now = this.#clock.monotonic()
    this.#accepted++
    this.#recent?.add(now)
    if (this.#perSecond === undefined) return
    if (now - this.#changedAt < (this.#isSearching ? searchMs : probeMs)) return
    if (this.#isSearching && this.#before !== undefined && !this.#hasOvershot)
      this.#step = Math.min(2 * this.#step, maxSearchStep)
    this.#before = this.#perSecond
    this.#perSecond *= 1 + this.#step
    this.#changedAt = now
  }

  /**
   * Records a 429 response and lowers the rate.
   * @returns true when a lower rate is enough, so that other requests need not pause
   */
  onRefused(): boolean {
    const now = this.#clock.monotonic()
    if (!this.#hasRefused) {
      this.#hasRefused = true
      this.#recent = new RecentCount()
      this.#measure(now)
    }
    if (this.#perSecond !== undefined && this.#before !== undefined) {
      this.#endAttempt(this.#before, now)
      return true
    }
    const elapsedMs = now - this.#measuredFrom
    if (elapsedMs < periodMs) return this.#hasOvershot
    // Without accepted requests in between, a refusal gives no information about the rate.
    if (this.#accepted === 0) return false
    const rate = this.#perSecond
    const measured = (1000 * this.#accepted) / elapsedMs
    // The recent rate is better: the average includes the first pauses, which may be longer than necessary.
    const next = this.#recent
      ? margin * Math.max(this.#recent.sum(now), measured)
      : Math.max(maxFall * (rate ?? 0), Math.min(measured, margin * (rate ?? 0)))
    this.#recent = undefined
    this.#perSecond = Math.max(next, minRate)
    if (rate !== undefined && next < certainFall * rate) this.#isSearching = true
    this.#hasOvershot = rate !== undefined
    this.#changedAt = now
    this.#measure(now)
    return rate !== undefined
  }

  #endAttempt(before: number, now: number): void {
    this.#perSecond = before
    this.#before = undefined
    this.#hasOvershot = true
    this.#isSearching &&= this.#step > probeStep
    this.#step = Math.max(this.#step / 2, probeStep)
    this.#changedAt = now
    this.#measure(now)
  }

  #measure(now: number): void {
    this.#measuredFrom = now
    this.#accepted = 0
  }
}
