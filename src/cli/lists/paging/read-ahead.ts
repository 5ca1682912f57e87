import type { Host } from '../../../host.ts'

/** Initial and minimum number of pages to request ahead, unless their size or `max` allows fewer. */
const minPagesAhead = 2
const maxPagesAhead = 8
/** Maximum expected size of several pages that are requested ahead, in bytes. */
const maxBytesAhead = 8 * 2 ** 20
/**
 * Latency above which a response counts as delayed: the lowest latency times `factor`, plus `ms`
 * milliseconds.
 */
const delay = { factor: 4, ms: 200 }

interface ReadAheadOptions {
  /** Clock that measures latency. Without a clock, the number of pages ignores the latency. */
  clock?: Pick<Host, 'monotonic'>
  max?: number
}

/**
 * Number of pages to request ahead. The lowest latency counts, because concurrent responses delay each other.
 */
export class ReadAhead {
  readonly #clock: Pick<Host, 'monotonic'>
  readonly #max: number
  #allowed = minPagesAhead
  #latencyMs = Number.POSITIVE_INFINITY
  #consumerMs: number | undefined
  #largestBytes = 1
  #receivedAt: number | undefined

  constructor({ clock = { monotonic: () => 0 }, max = maxPagesAhead }: ReadAheadOptions = {}) {
    this.#clock = clock
    this.#max = max
  }

  get pages(): number {
    const bySize = Math.max(1, Math.floor(maxBytesAhead / this.#largestBytes))
    return Math.min(this.#needed, this.#allowed, this.#max, bySize)
  }

  get #needed(): number {
    if (this.#consumerMs === undefined || this.#latencyMs === 0) return minPagesAhead
    return Math.max(minPagesAhead, Math.ceil(this.#latencyMs / this.#consumerMs) + 1)
  }

  now(): number {
    return this.#clock.monotonic()
  }

  onNeeded(): void {
    if (this.#receivedAt === undefined) return
    const ms = this.now() - this.#receivedAt
    this.#consumerMs = this.#consumerMs === undefined ? ms : (this.#consumerMs + ms) / 2
    this.#receivedAt = undefined
  }

  onReceived(latencyMs: number, bytes: number): void {
    this.#receivedAt = this.now()
    this.#latencyMs = Math.min(this.#latencyMs, latencyMs)
    this.#largestBytes = Math.max(this.#largestBytes, bytes)
    const isDelayed = latencyMs > delay.factor * this.#latencyMs + delay.ms
    // A busy service delays responses, and more requests would increase its load.
    this.#allowed = isDelayed
      ? Math.max(minPagesAhead, Math.floor(this.#allowed / 2))
      : Math.min(maxPagesAhead, this.#allowed + 1)
  }

  /** Reduces the number of pages to the minimum, after useless requests or for a busy service. */
  onMiss(): void {
    this.#allowed = minPagesAhead
  }
}
