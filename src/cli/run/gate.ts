import type { Host } from '../../host.ts'

/** Maximum delay of a start that later starts can catch up, in milliseconds. */
const maxDelayMs = 100
/** Maximum timer delay, in milliseconds; longer timers fire immediately. */
const maxTimerMs = 2 ** 31 - 1

/** Queue of starts with a limited rate. */
export class Gate {
  /** Monotonic time of the earliest start, in milliseconds. */
  opensAt = Number.NEGATIVE_INFINITY
  gapMs: number
  readonly #clock: Pick<Host, 'monotonic' | 'sleep'>
  readonly #stop: AbortSignal
  readonly #waiting: (() => void)[] = []
  #nextAt = Number.NEGATIVE_INFINITY

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
