import { backoff, type Retry } from '../../../../client/retry.ts'
import { parseRetryAfter } from '../../../../client/retry-after.ts'
import { MeetroomError, NetworkError, ServiceError, WrongBaseUrlError } from '../../../../errors.ts'
import type { Host } from '../../../../host.ts'
import { dayOf, secondOf } from '../../../attendance/clock.ts'
import { describeRetry } from '../../../requests/service.ts'
import type { WatchEvent } from './events.ts'

/** Maximum pause that a service can cause, in milliseconds. */
export const longestPauseMs = 300_000
/** Retries with a shorter pause than this are not reported, in milliseconds. */
const blinkMs = 1000

/** Returns true if a later request may succeed. */
function mayPass(error: unknown): error is MeetroomError {
  if (error instanceof NetworkError || error instanceof ServiceError || error instanceof WrongBaseUrlError)
    return true
  // The API specification uses 500 for refusals. After a successful request, 500 is a failure of the service.
  return error instanceof MeetroomError && (error.retryable || (error.status ?? 0) >= 500)
}

type Clock = Pick<Host, 'now' | 'monotonic' | 'random' | 'sleep'>

interface Audience {
  tell: (happening: WatchEvent) => Promise<void>
  notice: (text: string) => Promise<void>
}

export class Reconnector {
  readonly #host: Clock
  readonly #audience: Audience
  /** Start of the outage, in milliseconds of the monotonic clock; undefined while the service responds. */
  #lostAt: number | undefined
  #wasThere = false

  constructor(host: Clock, audience: Audience) {
    this.#host = host
    this.#audience = audience
  }

  /** Marks the first response. From now on, outages are reported. */
  begin(): void {
    this.#wasThere = true
  }

  /** @throws permanent errors, and the reason of the signal */
  async until<T>(ask: () => Promise<T>, stop: AbortSignal): Promise<T> {
    for (let failures = 0; ; failures++)
      try {
        const answer = await ask()
        await this.#back()
        return answer
      } catch (error) {
        if (stop.aborted || !mayPass(error)) throw error
        await this.#lost(error.message)
        await this.#host.sleep(this.#pause(error, failures), stop)
      }
  }

  onRetry(retry: Retry): void {
    if (!this.#wasThere) void this.#audience.notice(describeRetry(retry))
    // A write error recurs at the next write.
    else if (retry.waitMs > blinkMs) this.#lost(retry.reason).catch(() => {})
  }

  async #lost(reason: string): Promise<void> {
    if (this.#lostAt !== undefined) return
    this.#lostAt = this.#host.monotonic()
    const now = this.#host.now()
    await this.#audience.notice(`connection lost at ${dayOf(now)} ${secondOf(now)}, trying again: ${reason}`)
    await this.#audience.tell({ event: 'lost', reason })
  }

  async #back(): Promise<void> {
    if (this.#lostAt === undefined) return
    const seconds = Math.round((this.#host.monotonic() - this.#lostAt) / 100) / 10
    this.#lostAt = undefined
    await this.#audience.notice(`back after ${seconds} s`)
    await this.#audience.tell({ event: 'back', seconds })
  }

  #pause({ retryAfter }: MeetroomError, failures: number): number {
    const asked = parseRetryAfter(retryAfter, this.#host.now())
    return asked === undefined ? backoff(failures, this.#host.random()) : Math.min(asked, longestPauseMs)
  }
}
