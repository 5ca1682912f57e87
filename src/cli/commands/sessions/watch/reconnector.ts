import { backoff, type Retry } from '../../../../client/retry.ts'
import { parseRetryAfter } from '../../../../client/retry-after.ts'
import { MeetroomError, NetworkError, ServiceError, WrongBaseUrlError } from '../../../../errors.ts'
import type { Host } from '../../../../host.ts'
import { dayOf, secondOf } from '../../../attendance/clock.ts'
import { retryWords } from '../../../requests/service.ts'
import type { WatchEvent } from './events.ts'

/** The longest wait that a service may ask for, or cause, in milliseconds. */
export const longestPauseMs = 300_000
/** Retries that wait no longer than this are not worth a word, in milliseconds. */
const blinkMs = 1000

/** Whether a failure may be over when the same is asked later: what says no says it again. */
function mayPass(error: unknown): error is MeetroomError {
  if (error instanceof NetworkError || error instanceof ServiceError || error instanceof WrongBaseUrlError)
    return true
  // By the document a 500 is an answer; to a question that was answered before, it is a failure.
  return error instanceof MeetroomError && (error.retryable || (error.status ?? 0) >= 500)
}

type Clock = Pick<Host, 'now' | 'monotonic' | 'random' | 'sleep'>

/** Who is told that a service is away. */
interface Audience {
  tell: (happening: WatchEvent) => Promise<void>
  notice: (text: string) => Promise<void>
}

/** Keeps asking while a service is away, and says when it goes and when it is back. */
export class Reconnector {
  readonly #host: Clock
  readonly #audience: Audience
  /** By the clock that never jumps, in milliseconds; undefined while the service answers. */
  #lostAt: number | undefined
  #wasThere = false

  constructor(host: Clock, audience: Audience) {
    this.#host = host
    this.#audience = audience
  }

  /** The first answer has come: what is lost from now on comes back. */
  begin(): void {
    this.#wasThere = true
  }

  /**
   * An answer, however long that takes.
   * @throws what {@link mayPass} does not let pass, and the reason of the signal
   */
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

  /** A request is about to be sent again. */
  onRetry(retry: Retry): void {
    if (!this.#wasThere) void this.#audience.notice(retryWords(retry))
    // What cannot be written is met again by whatever is written next.
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
