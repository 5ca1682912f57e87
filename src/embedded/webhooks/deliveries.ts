import { sign } from '../../api/signature.ts'
import { type Clock, startLongTimer } from '../common/clock.ts'
import type { Store } from '../store/store.ts'
import { type Delivery, hasPacked, unpack, type WebhookTarget } from './outbox.ts'
import { ForbiddenAddress, type Post } from './post.ts'

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

/** Finished attempt to deliver an event. */
export interface Attempt {
  /** The `webhook-id`. */
  id: string
  url: string
  /** Response status, or the reason for a missing response. */
  outcome: string
  /** Number of the attempt, starting at 1. */
  attempt: number
  body: string
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Delays before the retries, in milliseconds. The last delay repeats until the event is a day old. */
const retryDelays = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  6 * hour,
]
const maxRetryMs = 24 * hour
const recordRetryMs = 5 * second

/** Sender of outbox events: each at least once, first attempts in order per room, retries for up to a day. */
export class Deliveries {
  readonly #options: DeliveriesOptions
  readonly #busy = new Set<string>()
  readonly #timers = new Set<() => void>()
  readonly #running = new Set<Promise<void>>()
  #closed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  start(): void {
    const { store } = this.#options
    for (const { room_id } of store.all<{ room_id: string }>(
      'SELECT room_id FROM deliveries WHERE attempts = 0 UNION SELECT room_id FROM packed_moves',
    ))
      this.wake(room_id)
    for (const delivery of store.all<Delivery>('SELECT * FROM deliveries WHERE attempts > 0'))
      this.#scheduleRetry(delivery)
  }

  wake(roomId: string): void {
    if (this.#busy.has(roomId) || this.#closed) return
    this.#busy.add(roomId)
    this.#track(this.#firstAttempts(roomId).finally(() => this.#busy.delete(roomId)))
  }

  /** True while an attempt is running. Events that wait for a retry do not count. */
  get isRunning(): boolean {
    return this.#running.size > 0
  }

  /** Resolves when no attempt is running. */
  async idle(): Promise<void> {
    while (this.isRunning) await Promise.all(this.#running)
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
    // The last `seq` prevents each query from reading thousands of failed events again.
    let last = 0
    while (!this.#closed) {
      const delivery = this.#options.store.one<Delivery>(
        'SELECT * FROM deliveries WHERE room_id = ? AND seq > ? AND attempts = 0 ORDER BY seq LIMIT 1',
        roomId,
        last,
      )
      if (delivery) {
        last = delivery.seq
        await this.#attempt(delivery)
      } else if (hasPacked(this.#options.store, roomId)) await this.#unpack(roomId)
      else return
    }
  }

  #unpack(roomId: string): Promise<void> {
    const { store, newId } = this.#options
    return this.#record(() => unpack(store, newId, roomId))
  }

  async #attempt(delivery: Delivery): Promise<void> {
    const { store, clock, onAttempt } = this.#options
    const { url } = JSON.parse(delivery.target) as WebhookTarget
    const outcome = await this.#post(delivery)
    if (this.#closed) return
    const { id, attempts, body } = delivery
    onAttempt?.({ id, url, outcome: String(outcome), attempt: attempts + 1, body })
    const delivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    const nextAt = clock.now() + Math.round(this.#computeRetryDelay(delivery.attempts))
    const isFinalFailure = outcome === 'forbidden' || nextAt > delivery.created_at + maxRetryMs
    await this.#record(() => {
      if (outcome === 410) {
        // A response of 410 (Gone) disables the webhook permanently.
        store.run('UPDATE rooms SET webhook_gone = 1 WHERE id = ?', delivery.room_id)
        store.run('DELETE FROM deliveries WHERE room_id = ?', delivery.room_id)
        store.run('DELETE FROM packed_moves WHERE room_id = ?', delivery.room_id)
      } else if (delivered || isFinalFailure) store.run('DELETE FROM deliveries WHERE seq = ?', delivery.seq)
      else
        store.run(
          'UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE seq = ?',
          nextAt,
          delivery.seq,
        )
    })
    if (this.#closed) return
    const remaining = store.one<Delivery>('SELECT * FROM deliveries WHERE seq = ?', delivery.seq)
    if (remaining) this.#scheduleRetry(remaining)
  }

  /** Posts an event. Returns the response status, or the reason for a missing response. */
  async #post({ id, target, body }: Delivery): Promise<number | 'unreachable' | 'forbidden'> {
    const { post, clock, userAgent } = this.#options
    const { url, headers = {}, secret } = JSON.parse(target) as WebhookTarget
    const seconds = Math.floor(clock.now() / 1000)
    try {
      return await post(
        url,
        {
          ...removeReservedHeaders(headers),
          'content-type': 'application/json',
          'user-agent': userAgent,
          'webhook-id': id,
          'webhook-timestamp': String(seconds),
          ...(secret ? { 'webhook-signature': sign(secret, id, seconds, body) } : {}),
        },
        body,
      )
    } catch (error) {
      const forbidden =
        error instanceof ForbiddenAddress || (error as NodeJS.ErrnoException).code === 'EFORBIDDEN'
      return forbidden ? 'forbidden' : 'unreachable'
    }
  }

  /** Returns the delay before the next attempt in milliseconds, with 20 % jitter. */
  #computeRetryDelay(attempts: number): number {
    const { random, retryScale } = this.#options
    const delay = retryDelays[Math.min(attempts, retryDelays.length - 1)] ?? hour
    return delay * retryScale * (0.8 + 0.4 * random())
  }

  #scheduleRetry({ seq, next_at }: Delivery): void {
    this.#after((next_at ?? 0) - this.#options.clock.now(), () => this.#track(this.#retry(seq)))
  }

  async #retry(seq: number): Promise<void> {
    // A response of 410 to another event may have deleted this event meanwhile.
    const delivery = this.#options.store.one<Delivery>('SELECT * FROM deliveries WHERE seq = ?', seq)
    if (delivery) await this.#attempt(delivery)
  }

  /** Stores a result, and retries until the write succeeds. Meanwhile, the event is not posted again. */
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

/** Returns the headers of a webhook without those of Standard Webhooks, which the service sets itself. */
function removeReservedHeaders(headers: Record<string, string>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lower.filter(([name]) => !name.startsWith('webhook-')))
}
