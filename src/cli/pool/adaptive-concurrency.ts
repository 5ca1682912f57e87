import type { Host } from '../../host.ts'

/** Concurrency at the start of a run, and of commands that delete, terminate or block. */
export const initialConcurrency = 8
export const maxAdaptiveConcurrency = 64

/** Minimum duration of a measurement, in milliseconds. */
const minWindowMs = 40
/** Pause after a trial that gained nothing, in milliseconds. It doubles up to the maximum. */
const minTrialPauseMs = 1000
const maxTrialPauseMs = 16_000
/** Pause after a failure, in milliseconds. */
const recoveryMs = 1000
const firstGrowth = 2
const laterGrowth = 1.5
/** Share of the earlier throughput below which the concurrency is lowered. */
const maxDrop = 0.7
/** Share of the expected gain that keeps a higher concurrency. */
const minGain = 0.2

/** Number of requests to have in flight, adjusted to the outcomes of requests. */
export interface ConcurrencyControl {
  readonly current: number
  /** Maximum that `current` can reach. */
  readonly max: number
  onResponse(): void
  onFailure(): void
}

export function fixConcurrency(current: number): ConcurrencyControl {
  return { current, max: current, onResponse() {}, onFailure() {} }
}

/**
 * Finds the concurrency with the highest throughput: raises it while the throughput rises, lowers it when the
 * throughput falls although as many requests are in flight, and halves it after a failure.
 */
export class AdaptiveConcurrency implements ConcurrencyControl {
  readonly max = maxAdaptiveConcurrency
  readonly #clock: Pick<Host, 'monotonic'>
  #current = initialConcurrency
  #growth = firstGrowth
  #nextTrialAt = Number.NEGATIVE_INFINITY
  #trialPauseMs = minTrialPauseMs
  #isSecondWindow = false
  /** Previous concurrency, while another one is tried. */
  #triedFrom: number | undefined
  /** Responses per millisecond at the concurrency that was kept last. */
  #throughput: number | undefined
  /** Number of requests that started at an earlier concurrency. */
  #outdated = initialConcurrency
  #responses = 0
  #windowStart = 0
  /** Number of outcomes to come of requests that were in flight at the last failure. */
  #inFlightAtFailure = 0

  constructor(clock: Pick<Host, 'monotonic'>) {
    this.#clock = clock
  }

  get current(): number {
    return this.#current
  }

  onResponse(): void {
    if (this.#inFlightAtFailure > 0) this.#inFlightAtFailure--
    if (this.#outdated > 0) {
      if (--this.#outdated === 0) this.#startWindow()
      return
    }
    if (++this.#responses < 2 * this.#current) return
    const now = this.#clock.monotonic()
    const elapsedMs = now - this.#windowStart
    if (elapsedMs >= minWindowMs) this.#judge(this.#responses / elapsedMs, now)
  }

  /** Halves the concurrency, once for all requests in flight. */
  onFailure(): void {
    if (this.#inFlightAtFailure > 0) {
      this.#inFlightAtFailure--
      return
    }
    this.#inFlightAtFailure = this.#current - 1
    this.#growth = laterGrowth
    this.#triedFrom = undefined
    this.#throughput = undefined
    this.#nextTrialAt = this.#clock.monotonic() + recoveryMs
    this.#change(Math.floor(this.#current / 2))
  }

  #judge(throughput: number, now: number): void {
    const before = this.#throughput
    if (this.#triedFrom !== undefined && before !== undefined) {
      if (!this.#judgeTrial(throughput, before, this.#triedFrom, now)) return
    } else if (before !== undefined && throughput < maxDrop * before) {
      // As many requests in flight with fewer responses means longer latency.
      this.#try(Math.floor(this.#current * 0.75))
      return
    } else this.#throughput = Math.max(throughput, 0.95 * (before ?? 0) + 0.05 * throughput)
    if (now >= this.#nextTrialAt) this.#try(Math.ceil(this.#current * this.#growth))
    else this.#startWindow()
  }

  /** Returns false unless the trial is over and its concurrency is kept. */
  #judgeTrial(throughput: number, before: number, from: number, now: number): boolean {
    const isHigher = this.#current > from
    const isKept = throughput >= before * (isHigher ? 1 + minGain * (this.#current / from - 1) : 0.95)
    if (isKept) {
      this.#triedFrom = undefined
      this.#throughput = throughput
      if (isHigher) this.#trialPauseMs = minTrialPauseMs
      else this.#pauseTrials(now)
      return true
    }
    // A pause of this process or of the service can spoil one window.
    if (!this.#isSecondWindow) {
      this.#isSecondWindow = true
      this.#startWindow()
      return false
    }
    this.#triedFrom = undefined
    this.#growth = laterGrowth
    // A lower concurrency did not help, so the service has become slower.
    if (!isHigher) this.#throughput = undefined
    this.#pauseTrials(now)
    this.#change(from)
    return false
  }

  #pauseTrials(now: number): void {
    this.#nextTrialAt = now + this.#trialPauseMs
    this.#trialPauseMs = Math.min(2 * this.#trialPauseMs, maxTrialPauseMs)
  }

  #try(concurrency: number): void {
    this.#triedFrom = this.#current
    this.#isSecondWindow = false
    this.#change(concurrency)
    if (this.#current === this.#triedFrom) this.#triedFrom = undefined
  }

  #change(concurrency: number): void {
    this.#outdated = this.#current
    this.#current = Math.max(1, Math.min(concurrency, this.max))
    this.#startWindow()
  }

  #startWindow(): void {
    this.#responses = 0
    this.#windowStart = this.#clock.monotonic()
  }
}
