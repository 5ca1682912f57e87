import { readDuration } from '../duration.ts'
import type { Duration, WebhookEvent } from './types.ts'

/** Maximum number of events kept for later calls of `next`. */
const maxKept = 10_000
/** Maximum number of events in the error of a timeout. */
const maxListed = 10
const defaultTimeout = '2s'

interface Waiter {
  matches: (event: WebhookEvent) => boolean
  resolve(event: WebhookEvent): void
  reject(error: unknown): void
}

/** Webhook attempts since the last reset, for tests that wait for one. */
export class WebhookInbox {
  /** Events that `next` has not returned. */
  #kept: WebhookEvent[] = []
  #listed: WebhookEvent[] = []
  #total = 0
  readonly #waiters = new Set<Waiter>()

  put(event: WebhookEvent): void {
    this.#total++
    if (this.#listed.push(event) > maxListed) this.#listed.shift()
    for (const waiter of this.#waiters)
      try {
        if (!waiter.matches(event)) continue
        waiter.resolve(event)
        return
      } catch (error) {
        waiter.reject(error)
      }
    if (this.#kept.push(event) > maxKept) this.#kept.shift()
  }

  next(matches: (event: WebhookEvent) => boolean, timeout: Duration = defaultTimeout): Promise<WebhookEvent> {
    const ms = typeof timeout === 'number' ? timeout : readDuration(timeout)
    if (ms === undefined || !(ms >= 0))
      throw new TypeError(
        `timeout must be a duration such as 2s, or a number of milliseconds, not “${timeout}”`,
      )
    const kept = this.#kept.findIndex(matches)
    const [event] = kept < 0 ? [] : this.#kept.splice(kept, 1)
    if (event) return Promise.resolve(event)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        matches,
        resolve: (event) => settle(() => resolve(event)),
        reject: (error) => settle(() => reject(error)),
      }
      const timer = setTimeout(() => waiter.reject(new Error(this.#describe(ms))), Math.min(ms, 2 ** 31 - 1))
      const settle = (work: () => void) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        work()
      }
      this.#waiters.add(waiter)
    })
  }

  clear(reason: string): void {
    this.#kept = []
    this.#listed = []
    this.#total = 0
    for (const waiter of this.#waiters) waiter.reject(new Error(reason))
  }

  #describe(ms: number): string {
    const wait = `no webhook matched within ${ms / 1000} s`
    if (this.#total === 0) return `${wait}; none was sent`
    const more = this.#total - this.#listed.length
    const lines = this.#listed.map(
      ({ type, payload, attempt, status }) =>
        `  ${type} room ${payload.roomId} user ${payload.userId ?? 'anonymous'}, attempt ${attempt}: ${status}`,
    )
    return [`${wait}; sent were:`, ...(more > 0 ? [`  ${more} earlier`] : []), ...lines].join('\n')
  }
}
