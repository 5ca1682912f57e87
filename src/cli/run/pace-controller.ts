import { backoff } from '../../api/backoff.ts'
import type { Pacer } from '../../client/retry.ts'
import type { Host } from '../../host.ts'
import { initialConcurrency, type PaceFlags } from '../kernel/flags.ts'

const maxAdaptiveConcurrency = 64
/** Minimum duration of a measurement of the throughput, in milliseconds. */
const minWindowMs = 40
/** Minimum ratio of the throughput with twice the concurrency to the previous throughput. */
const minGain = 1.2
/** Ratio of the interval between two searches to the duration of a measurement. */
const restRatio = 30
/** Minimum interval from a halving to the next search or halving, in milliseconds. */
const recoveryMs = 1000

/** Minimum duration of a measurement of the rate, and interval between its decreases, in milliseconds. */
const minRateMs = 1000
/** Ratio of a decreased rate to the accepted rate. */
const decrease = 0.97
/** Minimum ratio of the accepted rate to the refused rate. A lower measurement probably includes pauses. */
const minAccepted = 0.8
/** Steepness of the cubic curve of the rate. The curve is flat at the accepted rate. */
const growth = 0.015
/** Position of the accepted rate on the curve, in seconds. */
const returnSeconds = Math.cbrt((1 - decrease) / growth)

/** Maximum number of retries of a request while the service is busy (429 or 503). */
const maxBusyRetries = 10
/** Maximum number of consecutive pauses without an accepted request. */
const maxPauses = 5
/** Maximum pause of a single refused request, in milliseconds. A longer pause applies to all requests. */
const maxOwnPauseMs = 1000
/** Maximum pause of other requests during the pause of a refused request, in milliseconds. */
const maxOthersPauseMs = 100
/** Minimum length of an announced pause, in milliseconds. */
const announcedPauseMs = 5000
/** Backoff after a 429 or 503 without a valid Retry-After header. */
const busyBackoff = { baseMs: 200, maxMs: 300_000 }

interface PaceOptions {
  flags: Pick<PaceFlags, 'concurrency' | 'rate'>
  clock: Pick<Host, 'monotonic' | 'sleep' | 'random'>
  /** Ends all pauses. Aborted when the service is too busy. */
  stop: AbortController
  /** Maximum Retry-After that is honored, in milliseconds. */
  timeoutMs: number
  /** Called with the duration of a long pause, in seconds. */
  onLongPause: (seconds: number) => void
}

/** Controller that decides when the jobs and requests of a run start. */
export class PaceController implements Pacer {
  readonly stop: AbortSignal
  readonly maxConcurrency: number
  readonly #jobs: Gate
  readonly #requests: Gate
  /** Number of started jobs whose first request has already waited for the rate. */
  #reserved = 0

  concurrency: number
  /** Throughput before the last doubling, in responses per millisecond; undefined between searches. */
  #throughput: number | undefined = 0
  #isSecondWindow = false
  #responses = 0
  #windowStart = 0
  /** Number of responses to skip, because their requests may precede the last concurrency change. */
  #outdated = initialConcurrency
  #restsUntil = 0
  #halvedAt = Number.NEGATIVE_INFINITY

  /** Minimum interval between two requests by `--rate`, in milliseconds. */
  readonly #minGapMs: number
  /** Rate that the service accepted before the last decrease, in requests per second; 0 until the first. */
  #acceptedRate = 0
  /** Position on the curve of the rate, in seconds. */
  #seconds = 0
  /** Start of the measurement of the rate, in monotonic milliseconds; infinite until the first 429. */
  #measuredFrom = Number.POSITIVE_INFINITY
  #accepted = 0

  #pauses = 0
  #pauseEndsAt = Number.NEGATIVE_INFINITY
  readonly #options: PaceOptions

  constructor(options: PaceOptions) {
    this.#options = options
    const { flags, clock } = options
    this.stop = options.stop.signal
    this.maxConcurrency = flags.concurrency ?? maxAdaptiveConcurrency
    this.concurrency = flags.concurrency ?? initialConcurrency
    this.#minGapMs = flags.rate === undefined ? 0 : 1000 / flags.rate
    this.#jobs = new Gate(clock, this.stop, 0)
    this.#requests = new Gate(clock, this.stop, this.#minGapMs)
  }

  /** Resolves when the next job may start or the run stops; undefined to start now. */
  startJob(): Promise<void> | undefined {
    const turn = this.#jobs.pass()
    return this.#requests.gapMs > 0 ? this.#reserve(turn) : turn
  }

  async #reserve(turn: Promise<void> | undefined): Promise<void> {
    await turn
    await this.#requests.pass()
    this.#reserved++
  }

  startRequest(): Promise<void> | undefined {
    if (this.#reserved === 0 || this.#options.clock.monotonic() < this.#requests.opensAt)
      return this.#requests.pass()
    this.#reserved--
    return undefined
  }

  onAccepted(): void {
    const now = this.#options.clock.monotonic()
    this.#pauses = 0
    this.#accepted++
    // The rate must not grow while the run does not reach it.
    if (this.#hasLearned && this.#requests.isCrowded) {
      this.#seconds += this.#requests.gapMs / 1000
      this.#updateRate()
    }
    if (this.#options.flags.concurrency === undefined) this.#measureThroughput(now)
  }

  /** Halves the concurrency unless it is fixed, but only once for requests that fail together. */
  onFailure(): void {
    const now = this.#options.clock.monotonic()
    if (this.#options.flags.concurrency !== undefined || now - this.#halvedAt < recoveryMs) return
    this.#halvedAt = now
    this.#endSearch(Math.max(1, this.concurrency / 2), now + recoveryMs)
  }

  onBusy(status: number, retryAfterMs: number | undefined, refusals: number): number | undefined {
    const { clock, stop, timeoutMs } = this.#options
    const now = clock.monotonic()
    const isShared = status !== 429 || !this.#lowerRate(now)
    if (status !== 429 || !this.#hasLearned) this.onFailure()
    const pauseMs = retryAfterMs ?? backoff(refusals, clock.random(), busyBackoff)
    if (stop.signal.aborted) return undefined
    // Refusals during a pause usually belong to requests that were sent before the pause.
    if (now >= this.#pauseEndsAt || this.#pauses > maxPauses) {
      this.#pauses++
      this.#pauseEndsAt = now + pauseMs
    }
    // A single refused request may be the fault of its item.
    if ((retryAfterMs ?? 0) > timeoutMs || this.#pauses > maxPauses + 1) stop.abort()
    if (stop.signal.aborted || this.#pauses > maxPauses || refusals >= maxBusyRetries) return undefined
    const isOwn = !isShared && pauseMs <= maxOwnPauseMs
    const opensAt = now + (isOwn ? Math.min(pauseMs, maxOthersPauseMs) : pauseMs)
    // One announcement is enough, because the other requests in flight get a similar response.
    if (pauseMs >= announcedPauseMs && opensAt > this.#requests.opensAt + announcedPauseMs / 2)
      this.#options.onLongPause(Math.round(pauseMs / 1000))
    for (const gate of [this.#jobs, this.#requests]) gate.opensAt = Math.max(gate.opensAt, opensAt)
    if (!isOwn && this.#hasLearned) this.#measureRate(opensAt)
    return isOwn ? pauseMs : 0
  }

  get #hasLearned(): boolean {
    return this.#acceptedRate > 0
  }

  /** May lower the rate after a 429. Returns true if a short pause need not apply to all requests. */
  #lowerRate(now: number): boolean {
    const hasLearned = this.#hasLearned
    if (this.#measuredFrom === Number.POSITIVE_INFINITY) this.#measureRate(now)
    const elapsedMs = now - this.#measuredFrom
    if (elapsedMs < minRateMs) return hasLearned
    // Without accepted requests in the measurement, a refusal gives no information about the rate.
    if (this.#accepted === 0) return false
    const accepted = (1000 * this.#accepted) / elapsedMs
    const rate = hasLearned ? 1000 / this.#requests.gapMs : accepted
    this.#acceptedRate = Math.max(minAccepted * rate, Math.min(accepted, rate))
    // The first rate is probably too low, because its measurement includes a pause.
    this.#seconds = hasLearned ? 0 : 2.5 * returnSeconds
    this.#measureRate(now)
    this.#updateRate()
    // The rate caused the failures, so the concurrency need not stay lower.
    if (!hasLearned) this.#change(Math.max(this.concurrency, initialConcurrency))
    return hasLearned
  }

  #measureRate(from: number): void {
    this.#measuredFrom = from
    this.#accepted = 0
  }

  #updateRate(): void {
    const rate = this.#acceptedRate * (1 + growth * (this.#seconds - returnSeconds) ** 3)
    this.#requests.gapMs = Math.max(this.#minGapMs, 1000 / rate)
  }

  #measureThroughput(now: number): void {
    const elapsedMs = now - this.#windowStart
    const isOutdated = this.#outdated > 0
    if (isOutdated) this.#outdated--
    else if (++this.#responses < 2 * this.concurrency || elapsedMs < minWindowMs) return
    const throughput = this.#responses / elapsedMs
    this.#responses = 0
    this.#windowStart = now
    if (this.#requests.isCrowded) this.#throughput = undefined
    else if (!isOutdated && now >= this.#restsUntil) this.#search(throughput, elapsedMs, now)
  }

  /** Doubles the concurrency while the throughput rises. */
  #search(throughput: number, elapsedMs: number, now: number): void {
    const before = this.#throughput
    const current = this.concurrency
    const isBetter = before !== undefined && throughput >= minGain * before
    if (before === undefined) {
      this.#throughput = 0
      this.#change(Math.min(current, Math.max(initialConcurrency, current / 2)))
    } else if (isBetter && current < this.maxConcurrency) {
      this.#throughput = throughput
      this.#change(2 * current)
    } else if (isBetter || this.#isSecondWindow)
      this.#endSearch(isBetter ? current : Math.ceil(current / 2), now + restRatio * elapsedMs)
    // A pause of this process or of the service can distort one measurement.
    else this.#isSecondWindow = true
  }

  #endSearch(concurrency: number, restsUntil: number): void {
    this.#throughput = undefined
    this.#restsUntil = restsUntil
    this.#change(Math.floor(concurrency))
  }

  #change(concurrency: number): void {
    this.#outdated = Math.max(this.#outdated, this.concurrency)
    this.#isSecondWindow = false
    if (this.#options.flags.concurrency === undefined) this.concurrency = concurrency
  }
}

/** Maximum delay of a start that later starts can catch up, in milliseconds. */
const maxDelayMs = 100
/** Maximum timer delay, in milliseconds; longer timers fire immediately. */
const maxTimerMs = 2 ** 31 - 1

/** Queue of starts with a limited rate. */
class Gate {
  /** Monotonic time of the earliest start, in milliseconds. */
  opensAt = Number.NEGATIVE_INFINITY
  gapMs: number
  readonly #waiting: (() => void)[] = []
  #nextAt = Number.NEGATIVE_INFINITY
  readonly #clock: Pick<Host, 'monotonic' | 'sleep'>
  readonly #stop: AbortSignal

  /**
   * @param stop signal that ends all waiting
   * @param gapMs planned interval between two starts, in milliseconds
   */
  constructor(clock: Pick<Host, 'monotonic' | 'sleep'>, stop: AbortSignal, gapMs: number) {
    this.#clock = clock
    this.#stop = stop
    this.gapMs = gapMs
  }

  get isCrowded(): boolean {
    return this.#waiting.length > 0
  }

  /** Resolves when the caller may start or `stop` is aborted; undefined to start now. */
  pass(): Promise<void> | undefined {
    const now = this.#clock.monotonic()
    if (this.isCrowded || now < Math.max(this.opensAt, this.#nextAt))
      return new Promise((start) => {
        if (this.#waiting.push(start) === 1) void this.#serve()
      })
    this.#nextAt = now + this.gapMs
    return undefined
  }

  async #serve(): Promise<void> {
    while (this.isCrowded) {
      const now = this.#clock.monotonic()
      const at = Math.max(this.opensAt, this.#nextAt)
      if (at > now && !this.#stop.aborted)
        await this.#clock.sleep(Math.min(at - now, maxTimerMs), this.#stop).catch(() => {})
      else {
        this.#nextAt = Math.max(at, now - maxDelayMs) + this.gapMs
        this.#waiting.shift()?.()
      }
    }
  }
}
