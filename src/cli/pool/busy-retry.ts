import { backoff } from '../../api/backoff.ts'
import { createUnknownOutcomeError } from '../../client/no-response.ts'
import type { FinalResponse, Send } from '../../client/retry.ts'
import { isBusy, isRetriedStatus, mayHaveActed, parseRetryAfter } from '../../client/retry-policy.ts'
import { NetworkError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import type { PendingWrites } from './graceful-stop.ts'
import type { RateLimiter } from './rate-limiter.ts'

/** Maximum number of retries of a request while the service is busy (429 or 503). */
const maxBusyRetries = 10
/** Number of pauses in a row without an accepted request. The next refused request fails, and the one after it ends the run. */
const maxPauses = 5
/** Maximum pause of a single refused request, in milliseconds. A longer pause applies to all requests. */
const maxOwnPauseMs = 1000
/** Backoff after a response without a Retry-After header. */
const busyBackoff = { baseMs: 200, maxMs: 300_000 }

interface BusyRetryOptions {
  /** Rate limiter that pauses all requests while the service is busy. */
  limiter: RateLimiter
  writes: PendingWrites
  stop: AbortSignal
  /** Signal that aborts requests waiting for a retry. */
  interrupt: AbortSignal
  clock: Pick<Host, 'now' | 'monotonic' | 'random' | 'sleep'>
  onResponse: () => void
  /** Called after a 429 or 503. Returns false when a lower rate is enough, so that other requests need not pause. */
  onBusy: (status: number) => boolean
  /** Maximum Retry-After that is honored, in milliseconds. */
  timeoutMs: number
  /** Called when further requests would be refused, too. */
  onHopeless: () => void
}

/** Wraps the function that sends requests, so that all requests of a run pause and retry while the service is busy. */
export function withBusyRetry(send: Send, options: BusyRetryOptions): Send {
  const { limiter, stop, onResponse } = options
  const pauses = new PauseCounter(options)
  const accept = (response: FinalResponse) => {
    pauses.reset()
    onResponse()
    return response
  }
  // This function is not `async`, for speed.
  return (request, repeatability) => {
    const attempt = repeatability.write
      ? () => options.writes.track(send(request, repeatability))
      : () => send(request, repeatability)
    const wait = limiter.passRequest(stop)
    return (wait ? wait.then(attempt) : attempt()).then((response) =>
      isBusy(response.status)
        ? new BusyRun(attempt, repeatability, options, pauses)
            .retry(response)
            .then((last) => (isBusy(last.status) ? last : accept(last)))
        : accept(response),
    )
  }
}

class PauseCounter {
  readonly #clock: Pick<Host, 'monotonic'>
  #count = 0
  #endsAt = Number.NEGATIVE_INFINITY

  constructor({ clock }: Pick<BusyRetryOptions, 'clock'>) {
    this.#clock = clock
  }

  reset(): void {
    this.#count = 0
  }

  /** Counts a pause. Refusals during a pause belong to it, because their requests were sent before. */
  add(ms: number): void {
    const now = this.#clock.monotonic()
    if (now < this.#endsAt && this.#count <= maxPauses) return
    this.#count++
    this.#endsAt = now + ms
  }

  get isExhausted(): boolean {
    return this.#count > maxPauses
  }

  /** True when another request was refused after the pauses. A single refused request may be the fault of its item. */
  get isHopeless(): boolean {
    return this.#count > maxPauses + 1
  }
}

type Repeatability = Parameters<Send>[1]

class BusyRun {
  readonly #send: () => Promise<FinalResponse>
  readonly #repeatability: Repeatability
  readonly #options: BusyRetryOptions
  readonly #pauses: PauseCounter
  /** True when an earlier attempt may have made the change. A later refusal does not disprove it. */
  #mayHaveActed = false

  constructor(
    send: () => Promise<FinalResponse>,
    repeatability: Repeatability,
    options: BusyRetryOptions,
    pauses: PauseCounter,
  ) {
    this.#send = send
    this.#repeatability = repeatability
    this.#options = options
    this.#pauses = pauses
  }

  /** Returns the last response, which is still busy when there are no more retries. */
  async retry(first: FinalResponse): Promise<FinalResponse> {
    const { limiter, stop, interrupt } = this.#options
    let response = first
    for (let attempt = 0; isBusy(response.status) && (await this.#pause(response, attempt)); attempt++) {
      await limiter.passRequest(stop)
      if (interrupt.aborted && !this.#mayHaveActed) throw interrupt.reason
      if (stop.aborted) break
      this.#mayHaveActed ||= mayHaveActed(response.status, false, response.headers['retry-after'])
      response = await this.#send().catch((error: unknown) => this.#throwNetworkError(error))
    }
    return { ...response, afterLostAttempt: response.afterLostAttempt || this.#mayHaveActed }
  }

  /** Waits for the next attempt. Returns false when there is none. */
  async #pause({ status, headers }: FinalResponse, attempt: number): Promise<boolean> {
    const { limiter, stop, clock, timeoutMs, onBusy, onHopeless } = this.#options
    const retryAfter = headers['retry-after']
    const pausesAll = onBusy(status)
    const requestedMs = parseRetryAfter(retryAfter, clock.now())
    const pauseMs = requestedMs ?? backoff(attempt, clock.random(), busyBackoff)
    if (stop.aborted) return false
    this.#pauses.add(pauseMs)
    if ((requestedMs ?? 0) > timeoutMs || this.#pauses.isHopeless) onHopeless()
    if (stop.aborted || this.#pauses.isExhausted || attempt >= maxBusyRetries) return false
    const isShared = pausesAll || pauseMs > maxOwnPauseMs
    if (isShared) limiter.hold(pauseMs)
    if (!isRetriedStatus(status, this.#repeatability.repeatable, retryAfter)) return false
    if (!isShared) await clock.sleep(pauseMs, stop).catch(() => {})
    return true
  }

  #throwNetworkError(error: unknown): never {
    if (!this.#mayHaveActed || !(error instanceof NetworkError)) throw error
    throw createUnknownOutcomeError(error.message, this.#repeatability, error)
  }
}
