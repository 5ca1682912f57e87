import { type Clock, startLongTimer } from '../common/clock.ts'
import type { DeliveryRow } from '../store/rows.ts'
import type { Store } from '../store/store.ts'
import { attemptDelivery } from './attempt.ts'
import { hasPacked, unpack, type WebhookTarget } from './outbox.ts'
import type { Post } from './post.ts'
import { attemptsPerRemoval, removeFinished } from './retention.ts'
import { recordAttempt } from './states.ts'

interface DeliveriesOptions {
  store: Store
  clock: Clock
  post: Post
  newId(): string
  /** Returns a fraction in [0, 1), for jitter. */
  random(): number
  retryScale: number
  userAgent: string
  onFailure(error: unknown): void
  onAttempt?: (attempt: Attempt) => void
}

export interface Attempt {
  id: string
  url: string
  outcome: string
  attempt: number
  body: string
}

/** Base delays of the retries, from 5 seconds to 6 hours. The last repeats until `recordAttempt` gives up. */
const retrySeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 21_600]
const recordRetryMs = 5000

export class Deliveries {
  readonly #options: DeliveriesOptions
  /** IDs of rooms for which `#firstAttempts` is running. */
  readonly #busy = new Set<string>()
  /** IDs of rooms with new redeliveries, whose `seq` can be below the last attempted `seq`. */
  readonly #rewound = new Set<string>()
  /** `seq` of the deliveries with a running or unrecorded attempt. */
  readonly #attempted = new Set<number>()
  #attempts = 0
  readonly #timers = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()
  #closed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  start(): void {
    const { store } = this.#options
    const rooms = `SELECT room_id FROM deliveries WHERE finished_at IS NULL AND attempts = round_start
       UNION SELECT room_id FROM packed_moves`
    for (const { room_id } of store.all<{ room_id: string }>(rooms)) this.wake(room_id)
    const failed = 'SELECT * FROM deliveries WHERE finished_at IS NULL AND attempts > round_start'
    for (const { seq, next_at } of store.all<DeliveryRow>(failed)) this.#scheduleRetry(seq, next_at ?? 0)
  }

  wake(roomId: string): void {
    if (this.#busy.has(roomId) || this.#closed) return
    this.#busy.add(roomId)
    this.#track(this.#firstAttempts(roomId).finally(() => this.#busy.delete(roomId)))
  }

  /** True while any work is running. Events that wait for a retry do not count. */
  get isRunning(): boolean {
    return this.#running.size > 0
  }

  async idle(): Promise<void> {
    while (this.isRunning) await Promise.all(this.#running)
  }

  redeliver(roomId: string): void {
    this.#rewound.add(roomId)
    this.wake(roomId)
  }

  close(): void {
    this.#closed = true
    for (const cancel of this.#timers) cancel()
  }

  #track(work: Promise<void>): void {
    const running = work.catch(this.#options.onFailure).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #firstAttempts(roomId: string): Promise<void> {
    const { store, newId } = this.#options
    // The last `seq` prevents each query from reading thousands of failed events again.
    let last = 0
    while (!this.#closed) {
      if (this.#rewound.delete(roomId)) last = 0
      const sql = `SELECT * FROM deliveries WHERE room_id = ? AND seq > ? AND finished_at IS NULL
         AND attempts = round_start ORDER BY seq LIMIT 1`
      const delivery = store.one<DeliveryRow>(sql, roomId, last)
      if (delivery) {
        last = delivery.seq
        // A redelivery that was requested during a retry follows that retry.
        if (!this.#attempted.has(delivery.seq)) await this.#attempt(delivery)
      } else if (hasPacked(store, roomId)) await this.#record(() => unpack(store, newId, roomId))
      else return
    }
  }

  async #attempt(delivery: DeliveryRow): Promise<void> {
    const { store, clock, post, userAgent, onAttempt } = this.#options
    const { seq, id, room_id, attempts, round_start } = delivery
    const { url } = JSON.parse(delivery.target) as WebhookTarget
    this.#attempted.add(seq)
    const result = await attemptDelivery(delivery, { post, now: () => clock.now(), userAgent })
    if (this.#closed) return
    onAttempt?.({ id, url, outcome: String(result.outcome), attempt: attempts + 1, body: delivery.body })
    const now = clock.now()
    const nextAt = now + Math.round(this.#computeRetryDelay(attempts - round_start))
    let next: ReturnType<typeof recordAttempt>
    await this.#record(() => {
      next = recordAttempt(store, delivery, result, now, nextAt)
      // Without `afterCommit`, a redelivery in the same commit would be skipped as a running attempt.
      store.afterCommit(() => this.#attempted.delete(seq))
      if (++this.#attempts % attemptsPerRemoval === 0) removeFinished(store, now)
    })
    if (next === 'now') this.redeliver(room_id)
    else if (next !== undefined) this.#scheduleRetry(seq, next)
  }

  /** Returns the delay in milliseconds, scaled by `retryScale`, with jitter of ±20%. */
  #computeRetryDelay(attempts: number): number {
    const { random, retryScale } = this.#options
    const seconds = retrySeconds[Math.min(attempts, retrySeconds.length - 1)] ?? 0
    return seconds * 1000 * retryScale * (0.8 + 0.4 * random())
  }

  #scheduleRetry(seq: number, due: number): void {
    this.#after(due - this.#options.clock.now(), () => this.#track(this.#retry(seq, due)))
  }

  async #retry(seq: number, due: number): Promise<void> {
    // A redelivery, or a 410 response to another event, may have ended this retry.
    const sql = 'SELECT * FROM deliveries WHERE seq = ? AND next_at = ?'
    const delivery = this.#options.store.one<DeliveryRow>(sql, seq, due)
    if (delivery) await this.#attempt(delivery)
  }

  /** Repeats a write until it succeeds or the service stops. */
  async #record(work: () => void): Promise<void> {
    const { store, onFailure } = this.#options
    while (!this.#closed)
      try {
        return await store.write(work)
      } catch (error) {
        onFailure(error)
        await new Promise<void>((resolve) => this.#after(recordRetryMs, resolve))
      }
  }

  #after(ms: number, work: () => void): void {
    if (this.#closed) return
    const cancel = startLongTimer(this.#options.clock, ms, () => {
      this.#timers.delete(cancel)
      work()
    })
    this.#timers.add(cancel)
  }
}
