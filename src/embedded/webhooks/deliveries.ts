import { sign } from '../../api/signature.ts'
import { afterLong, type Clock } from '../common/clock.ts'
import type { Store } from '../store/store.ts'
import { type Delivery, hasPacked, type Target, unpack } from './outbox.ts'
import { ForbiddenAddress, type Post } from './post.ts'

interface DeliveriesOptions {
  store: Store
  clock: Clock
  post: Post
  newId(): string
  /** Fraction in [0, 1), for jitter. */
  random(): number
  /** Multiplies the pauses between attempts. */
  retryScale: number
  userAgent: string
  /** Told when the result of an attempt could not be stored. */
  onFailure(error: unknown): void
  /** Told of each attempt, for the log. */
  onAttempt?: (attempt: { id: string; url: string; outcome: string }) => void
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
/** Pauses before each further attempt. The last one repeats until a day is over. */
const pauses = [
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
const giveUpAfterMs = 24 * hour
/** Pause before another attempt to store the result of a delivery. */
const recordAgainMs = 5 * second

/**
 * Delivers what is in the outbox: each event at least once, first attempts in order within a room, rooms independent
 * of each other, retries at growing intervals with jitter for up to a day. A delivery that is done leaves the outbox.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions
  /** Rooms whose first attempts are under way. */
  readonly #busy = new Set<string>()
  /** Cancels each timer. */
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(options: DeliveriesOptions) {
    this.#options = options
  }

  /** Resumes what an earlier run left. */
  start(): void {
    const { store } = this.#options
    for (const { room_id } of store.all<{ room_id: string }>(
      'SELECT room_id FROM deliveries WHERE attempts = 0 UNION SELECT room_id FROM packed_moves',
    ))
      this.wake(room_id)
    for (const delivery of store.all<Delivery>('SELECT * FROM deliveries WHERE attempts > 0'))
      this.#scheduleRetry(delivery)
  }

  /** Delivers what may be new for a room. */
  wake(roomId: string): void {
    if (this.#busy.has(roomId) || this.#closed) return
    this.#busy.add(roomId)
    this.#firstAttempts(roomId)
      .catch(this.#options.onFailure)
      .finally(() => this.#busy.delete(roomId))
  }

  /** Stops. What is left waits for the next run. */
  close(): void {
    this.#closed = true
    for (const cancel of this.#waiting) cancel()
  }

  async #firstAttempts(roomId: string): Promise<void> {
    // Thousands of failed attempts may wait before the next first one: they are stepped over once, not each time.
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
    const { url } = JSON.parse(delivery.target) as Target
    const outcome = await this.#post(delivery)
    if (this.#closed) return
    onAttempt?.({ id: delivery.id, url, outcome: String(outcome) })
    const delivered = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    const nextAt = clock.now() + Math.round(this.#pause(delivery.attempts))
    const hopeless = outcome === 'forbidden' || nextAt > delivery.created_at + giveUpAfterMs
    await this.#record(() => {
      if (outcome === 410) {
        // The receiver says that it is gone for good.
        store.run('UPDATE rooms SET webhook_gone = 1 WHERE id = ?', delivery.room_id)
        store.run('DELETE FROM deliveries WHERE room_id = ?', delivery.room_id)
        store.run('DELETE FROM packed_moves WHERE room_id = ?', delivery.room_id)
      } else if (delivered || hopeless) store.run('DELETE FROM deliveries WHERE seq = ?', delivery.seq)
      else
        store.run(
          'UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE seq = ?',
          nextAt,
          delivery.seq,
        )
    })
    if (this.#closed) return
    const left = store.one<Delivery>('SELECT * FROM deliveries WHERE seq = ?', delivery.seq)
    if (left) this.#scheduleRetry(left)
  }

  /** The status of the answer, or why there is none. */
  async #post({ id, target, body }: Delivery): Promise<number | 'unreachable' | 'forbidden'> {
    const { post, clock, userAgent } = this.#options
    const { url, headers = {}, secret } = JSON.parse(target) as Target
    const seconds = Math.floor(clock.now() / 1000)
    try {
      return await post(
        url,
        {
          ...ownHeaders(headers),
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

  /** Milliseconds until the next attempt, a fifth more or less, so that retries spread. */
  #pause(attempts: number): number {
    const { random, retryScale } = this.#options
    const pause = pauses[Math.min(attempts, pauses.length - 1)] ?? hour
    return pause * retryScale * (0.8 + 0.4 * random())
  }

  #scheduleRetry({ seq, next_at }: Delivery): void {
    const { clock, onFailure } = this.#options
    this.#after((next_at ?? 0) - clock.now(), () => void this.#retry(seq).catch(onFailure))
  }

  async #retry(seq: number): Promise<void> {
    // Its room may have lost its webhook in the meantime.
    const delivery = this.#options.store.one<Delivery>('SELECT * FROM deliveries WHERE seq = ?', seq)
    if (delivery) await this.#attempt(delivery)
  }

  /** Stores the result of an attempt as soon as it can be stored: until then, the event is not posted again. */
  async #record(work: () => void): Promise<void> {
    const { store, onFailure } = this.#options
    while (!this.#closed)
      try {
        return await store.write(work)
      } catch (error) {
        onFailure(error)
        await new Promise<void>((resolve) => this.#after(recordAgainMs, resolve))
      }
  }

  /** Does something later, unless closed by then. */
  #after(ms: number, work: () => void): void {
    if (this.#closed) return
    const cancel = afterLong(this.#options.clock, ms, () => {
      this.#waiting.delete(cancel)
      work()
    })
    this.#waiting.add(cancel)
  }
}

/** The headers that the room asked for, except those of Standard Webhooks, which only we set. */
function ownHeaders(headers: Record<string, string>): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lower.filter(([name]) => !name.startsWith('webhook-')))
}
