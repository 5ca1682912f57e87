interface PauseLimits {
  baseMs: number
  maxMs: number
}

const usualLimits: PauseLimits = { baseMs: 200, maxMs: 8000 }

/**
 * Returns the delay before the next attempt, in milliseconds.
 * @param random fraction in [0, 1]; 1 for no jitter
 */
export function backoff(attempt: number, random: number, { baseMs, maxMs } = usualLimits): number {
  const full = Math.min(baseMs * 2 ** attempt, maxMs)
  return full / 2 + (full / 2) * random
}

/**
 * Pauses before reconnecting. Short connections keep the backoff, because a service may close each
 * connection immediately.
 */
export class ReconnectPauses {
  readonly #limits: PauseLimits
  readonly #random: () => number
  #losses = 0

  constructor(random: () => number, limits = usualLimits) {
    this.#random = random
    this.#limits = limits
  }

  /** @param heldMs duration of the lost connection; 0 if there was none */
  next(heldMs: number): number {
    if (heldMs > this.#limits.maxMs) this.#losses = 0
    return backoff(this.#losses++, this.#random(), this.#limits)
  }
}
