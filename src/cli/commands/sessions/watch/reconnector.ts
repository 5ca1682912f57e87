import { ReconnectPauses } from '../../../../api/backoff.ts'
import type { Retry } from '../../../../client/retry.ts'
import { isTemporary, parseRetryAfter } from '../../../../client/retry-policy.ts'
import type { MeetroomError } from '../../../../errors.ts'
import type { Host } from '../../../../host.ts'
import type { TimeZone } from '../../../calendar/time-zone.ts'
import { describeRetry } from '../../../requests/service.ts'
import type { WatchEvent } from './events.ts'

/** Maximum pause that a service can cause, in milliseconds. */
export const maxPauseMs = 300_000
/** Pause above which a retry is reported as an outage, in milliseconds. */
const minReportedPauseMs = 1000

type Clock = Pick<Host, 'now' | 'monotonic' | 'random' | 'sleep'>

interface OutageListener {
  tell: (event: WatchEvent) => Promise<void>
  notice: (text: string) => Promise<void>
}

export class Reconnector {
  readonly #host: Clock
  readonly #zone: TimeZone
  readonly #listener: OutageListener
  /** Start of the outage, in milliseconds of the monotonic clock; undefined while the service responds. */
  #outageStart: number | undefined
  #hasConnected = false
  readonly #pauses: ReconnectPauses
  /** Time of the first success after an outage, by the monotonic clock; undefined while polls fail. */
  #connectedAt: number | undefined

  constructor(host: Clock, zone: TimeZone, listener: OutageListener) {
    this.#host = host
    this.#zone = zone
    this.#listener = listener
    this.#pauses = new ReconnectPauses(() => host.random())
  }

  /** Starts to report outages. Call it after the first response. */
  begin(): void {
    this.#hasConnected = true
    this.#connectedAt = this.#host.monotonic()
  }

  /** Calls `ask` until it succeeds. Throws permanent errors and the reason of the signal. */
  async until<T>(ask: () => Promise<T>, stop: AbortSignal): Promise<T> {
    for (;;)
      try {
        const answer = await ask()
        this.#connectedAt ??= this.#host.monotonic()
        await this.#back()
        return answer
      } catch (error) {
        if (stop.aborted || !isTemporary(error, true)) throw error
        await this.#lost(error.message)
        await this.#host.sleep(this.#pause(error), stop)
      }
  }

  onRetry(retry: Retry): void {
    if (!this.#hasConnected) void this.#listener.notice(describeRetry(retry))
    // A write error recurs at the next write.
    else if (retry.waitMs > minReportedPauseMs) this.#lost(retry.reason).catch(() => {})
  }

  async #lost(reason: string): Promise<void> {
    if (this.#outageStart !== undefined) return
    this.#outageStart = this.#host.monotonic()
    const now = this.#host.now()
    await this.#listener.notice(
      `connection lost at ${this.#zone.formatDay(now)} ${this.#zone.formatSeconds(now)}, trying again: ${reason}`,
    )
    await this.#listener.tell({ event: 'lost', reason })
  }

  async #back(): Promise<void> {
    if (this.#outageStart === undefined) return
    const seconds = Math.round((this.#host.monotonic() - this.#outageStart) / 100) / 10
    this.#outageStart = undefined
    await this.#listener.notice(`back after ${seconds} s`)
    await this.#listener.tell({ event: 'back', seconds })
  }

  #pause({ retryAfter }: MeetroomError): number {
    const now = this.#host.monotonic()
    const pause = this.#pauses.next(now - (this.#connectedAt ?? now))
    this.#connectedAt = undefined
    const asked = parseRetryAfter(retryAfter, this.#host.now())
    return asked === undefined ? pause : Math.min(asked, maxPauseMs)
  }
}
