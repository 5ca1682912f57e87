import type { Host } from '../../host.ts'
import { initialConcurrency, type PaceFlags } from '../kernel/flags.ts'

export const maxAdaptiveConcurrency = 64

/** Minimum duration of a measurement, in milliseconds. */
const minWindowMs = 40
/** Initial pause after a trial without a gain, in milliseconds. Each such trial doubles the pause, up to a maximum. */
const minTrialPauseMs = 250
const maxTrialPauseMs = 16_000
/** Minimum time between a failure and the next trial, in milliseconds. */
const recoveryMs = 1000
/** Number of consecutive low measurements that lower the concurrency. A busy machine can distort one measurement. */
const minDrops = 3
const firstGrowth = 2
const laterGrowth = 1.5
/** Fraction of the previous throughput below which a lower concurrency is tried. */
const maxDrop = 0.7
/** Minimum fraction of the ideal gain that justifies a higher concurrency. */
const minGain = 0.2

/** Number of concurrent requests, adjusted to the outcomes of earlier requests. */
export interface ConcurrencyControl {
  readonly current: number
  /** Maximum that `current` can reach. */
  readonly max: number
  /** @param waits true when requests wait for the learned rate, so that a higher concurrency has no benefit */
  onResponse(waits?: boolean): void
  onFailure(): void
  /** Restores the initial concurrency after failures that a high rate caused. */
  recover(): void
}

/** Sets a fixed concurrency for a run that deletes, terminates or blocks. `--concurrency` takes precedence. */
export function fixPace<F extends PaceFlags>(flags: F): F {
  return { ...flags, concurrency: flags.concurrency ?? initialConcurrency }
}

export function fixConcurrency(current: number): ConcurrencyControl {
  return { current, max: current, onResponse() {}, onFailure() {}, recover() {} }
}

/**
 * Controller that searches for the concurrency with the highest throughput. It raises the concurrency while the
 * throughput rises, lowers it when the throughput falls at an unchanged concurrency, and halves it after a failure.
 */
export class AdaptiveConcurrency implements ConcurrencyControl {
  readonly max = maxAdaptiveConcurrency
  readonly #clock: Pick<Host, 'monotonic'>
  #current = initialConcurrency
  #growth = firstGrowth
  #nextTrialAt = Number.NEGATIVE_INFINITY
  #trialPauseMs = minTrialPauseMs
  #isSecondWindow = false
  /** Number of consecutive measurements with a lower throughput. */
  #drops = 0
  /** Concurrency before the current trial; undefined outside a trial. */
  #triedFrom: number | undefined
  /** Throughput at the last accepted concurrency, in responses per millisecond. */
  #throughput: number | undefined
  /** Number of pending requests that started at the previous concurrency. They are not measured. */
  #outdated = initialConcurrency
  #responses = 0
  #windowStart = 0
  /** Number of pending requests that were already in flight at the last failure. */
  #inFlightAtFailure = 0

  constructor(clock: Pick<Host, 'monotonic'>) {
    this.#clock = clock
  }

  get current(): number {
    return this.#current
  }

  onResponse(waits = false): void {
    if (this.#inFlightAtFailure > 0) this.#inFlightAtFailure--
    if (this.#outdated > 0) {
      if (--this.#outdated === 0) this.#startWindow()
      return
    }
    if (waits) {
      this.#triedFrom = undefined
      this.#throughput = undefined
      this.#startWindow()
      return
    }
    if (++this.#responses < 2 * this.#current) return
    const now = this.#clock.monotonic()
    const elapsedMs = now - this.#windowStart
    if (elapsedMs >= minWindowMs) this.#judge(this.#responses / elapsedMs, now)
  }

  /** Halves the concurrency, but only once for all requests that are in flight together. */
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

  recover(): void {
    this.#triedFrom = undefined
    this.#throughput = undefined
    if (this.#current < initialConcurrency) this.#change(initialConcurrency)
  }

  #judge(throughput: number, now: number): void {
    const before = this.#throughput
    if (this.#triedFrom !== undefined && before !== undefined) {
      if (!this.#judgeTrial(throughput, before, this.#triedFrom, now)) return
    } else if (before !== undefined && throughput < maxDrop * before) {
      if (++this.#drops < minDrops) {
        this.#startWindow()
        return
      }
      this.#drops = 0
      // At an unchanged concurrency, a lower throughput means a longer latency.
      this.#try(Math.floor(this.#current * 0.75))
      if (this.#triedFrom !== undefined) return
      this.#throughput = throughput
    } else this.#throughput = Math.max(throughput, 0.95 * (before ?? 0) + 0.05 * throughput)
    this.#drops = 0
    if (now >= this.#nextTrialAt) this.#try(Math.ceil(this.#current * this.#growth))
    else this.#startWindow()
  }

  /** Judges a trial. Returns true when the trial is over and the new concurrency is accepted. */
  #judgeTrial(throughput: number, before: number, from: number, now: number): boolean {
    const isHigher = this.#current > from
    const isKept = throughput >= before * (isHigher ? 1 + minGain * (this.#current / from - 1) : 0.95)
    if (isKept) {
      this.#triedFrom = undefined
      this.#throughput = throughput
      if (isHigher) this.#trialPauseMs = minTrialPauseMs
      else this.#nextTrialAt = now + minTrialPauseMs
      return true
    }
    // A pause of this process or of the service can distort one measurement.
    if (!this.#isSecondWindow) {
      this.#isSecondWindow = true
      this.#startWindow()
      return false
    }
    this.#triedFrom = undefined
    if (isHigher) {
      this.#growth = laterGrowth
      this.#pauseTrials(now)
    }
    // A lower concurrency did not raise the throughput, so the service itself has become slower.
    else this.#throughput = undefined
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
    this.#outdated = Math.max(this.#outdated, this.#current)
    this.#current = Math.max(1, Math.min(concurrency, this.max))
    this.#startWindow()
  }

  #startWindow(): void {
    this.#responses = 0
    this.#windowStart = this.#clock.monotonic()
  }
}
