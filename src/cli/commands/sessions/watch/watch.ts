import { setMaxListeners } from 'node:events'
import { ReconnectPauses } from '../../../../api/backoff.ts'
import { omitUndefined } from '../../../../api/defined.ts'
import type { Client } from '../../../../client/client.ts'
import { forgetProbe } from '../../../../client/probe.ts'
import type { Retry } from '../../../../client/retry.ts'
import { isTemporary, parseRetryAfter } from '../../../../client/retry-policy.ts'
import { type MeetroomError, NetworkError, UsageError } from '../../../../errors.ts'
import { readTimeZone, type TimeZone } from '../../../calendar/time-zone.ts'
import type { Context } from '../../../kernel/context.ts'
import { initialConcurrency } from '../../../kernel/flags.ts'
import { isAsciiOnly } from '../../../output/terminal/unicode.ts'
import { rowKinds } from '../../../output/views/rows.ts'
import { findPersistentBaseUrl, openPersistentClient } from '../../../requests/find-service.ts'
import { type ClientSetup, describeRetry } from '../../../requests/service.ts'
import type { TimedWatchEvent, WatchEvent, WatchOutput } from './events.ts'
import { RoomDiffs } from './room-diffs.ts'
import { RoomPoller, type RoomsPoll } from './room-poller.ts'
import type { Roster } from './roster.ts'

/**
 * Watches rooms by polling, because webhooks need a public URL.
 * @param room_id undefined for all rooms
 * @param options.interval minimum pause after a successful poll, in milliseconds
 */
export async function runWatch(
  context: Context,
  room_id: string | undefined,
  { interval }: { interval: number },
): Promise<void> {
  const { host, interrupt } = context
  const openOutput = await createWatchOutput(context)
  const leaving = new AbortController()
  const stop = AbortSignal.any([interrupt, leaving.signal])
  // Each pending request adds a listener, and Node warns about many listeners.
  setMaxListeners(0, stop)

  let output: WatchOutput | undefined
  const tell = async (event: WatchEvent, of = room_id) => {
    const at = new Date(host.now()).toISOString()
    const head = { at, event: event.event, ...omitUndefined({ room_id: of }) }
    await output?.tell(Object.assign(head, event) as TimedWatchEvent)
  }
  const rooms = new RoomDiffs(tell)
  const reconnector = new Reconnector(context, await readTimeZone(context), tell)
  const connection = new RoomConnection(context, room_id, {
    interrupt: stop,
    connections: initialConcurrency,
    onRetry: (retry) => reconnector.onRetry(retry),
  })

  const first = await connection.poll(rooms.rosterOf)
  // An interrupt before the first response is an error.
  if (stop.aborted) throw stop.reason
  reconnector.begin()
  let tookMs = 0
  const ask = async () => {
    const began = host.monotonic()
    try {
      return await connection.poll(rooms.rosterOf)
    } finally {
      tookMs = host.monotonic() - began
    }
  }
  try {
    output = await openOutput(room_id, () => leaving.abort())
    await rooms.begin(first)
    await output.settle(rooms.scene)
    for (;;) {
      // A slow poll lengthens the pause, to reduce the load. The pause is limited, because some clocks run
      // while the machine sleeps.
      await host.sleep(Math.max(interval, Math.min(tookMs, maxPauseMs)), stop)
      const poll = await reconnector.until(ask, stop)
      await rooms.continue(poll)
      await output.settle(rooms.scene)
    }
  } catch (error) {
    // Aborting is the normal end of a watch.
    if (!stop.aborted) throw error
  } finally {
    await output?.close()
  }
}

/**
 * Connection that checks its base URL after a failed poll, because the embedded service may change its port.
 */
class RoomConnection {
  #url = ''
  #opened: { client: Client; reader: RoomPoller } | undefined
  #isLost = false
  readonly #context: Context
  readonly #room_id: string | undefined
  readonly #setup: ClientSetup

  constructor(context: Context, room_id: string | undefined, setup: ClientSetup) {
    this.#context = context
    this.#room_id = room_id
    this.#setup = setup
  }

  async poll(rosterOf: (room_id: string) => Roster): Promise<RoomsPoll> {
    const { client, reader } = await this.#open()
    // While a service restarts, a proxy may return 404 for everything.
    forgetProbe(client.serviceFacts)
    try {
      return await reader.poll(rosterOf)
    } catch (error) {
      this.#isLost = true
      throw error
    }
  }

  async #open() {
    if (this.#opened && !this.#isLost) return this.#opened
    const url = await findPersistentBaseUrl(this.#context).catch((error) => {
      // A service that was found may restart, so the error is temporary.
      throw this.#opened ? new NetworkError(error.message, { cause: error }) : error
    })
    if (!this.#opened || url !== this.#url) {
      const client = await openPersistentClient(this.#context, { ...this.#setup, serviceFacts: {} })
      this.#opened = { client, reader: new RoomPoller(this.#context, client, this.#room_id) }
    }
    this.#url = url
    this.#isLost = false
    return this.#opened
  }
}

/** Maximum pause that a service can cause, in milliseconds. */
const maxPauseMs = 300_000
/** Pause above which a retry counts as an outage, in milliseconds. */
const minReportedPauseMs = 1000

class Reconnector {
  /** Start of the outage, in milliseconds of the monotonic clock. */
  #outageStart: number | undefined
  #hasConnected = false
  readonly #pauses: ReconnectPauses
  /**
   * Time since which polls have succeeded, in milliseconds of the monotonic clock; undefined while polls
   * fail.
   */
  #connectedAt: number | undefined
  readonly #context: Context
  readonly #zone: TimeZone
  readonly #tell: (event: WatchEvent) => Promise<void>

  constructor(context: Context, zone: TimeZone, tell: (event: WatchEvent) => Promise<void>) {
    this.#context = context
    this.#zone = zone
    this.#tell = tell
    this.#pauses = new ReconnectPauses(() => context.host.random())
  }

  /** Starts to report outages. Call this method after the first response. */
  begin(): void {
    this.#hasConnected = true
    this.#connectedAt = this.#context.host.monotonic()
  }

  /**
   * Retries temporary errors.
   * @throws permanent errors, and any error after an abort
   */
  async until<T>(ask: () => Promise<T>, stop: AbortSignal): Promise<T> {
    for (;;)
      try {
        const response = await ask()
        this.#connectedAt ??= this.#context.host.monotonic()
        await this.#back()
        return response
      } catch (error) {
        if (stop.aborted || !isTemporary(error, true)) throw error
        await this.#lost(error.message)
        await this.#context.host.sleep(this.#pause(error), stop)
      }
  }

  onRetry(retry: Retry): void {
    if (!this.#hasConnected) void this.#context.notice(describeRetry(retry))
    // A write error recurs at the next write.
    else if (retry.waitMs > minReportedPauseMs) this.#lost(retry.reason).catch(() => {})
  }

  async #lost(reason: string): Promise<void> {
    if (this.#outageStart !== undefined) return
    this.#outageStart = this.#context.host.monotonic()
    const now = this.#context.host.now()
    await this.#context.notice(
      `connection lost at ${this.#zone.formatDay(now)} ${this.#zone.formatSeconds(now)}, retrying: ${reason}`,
    )
    await this.#tell({ event: 'lost', reason })
  }

  async #back(): Promise<void> {
    if (this.#outageStart === undefined) return
    const seconds = Math.round((this.#context.host.monotonic() - this.#outageStart) / 100) / 10
    this.#outageStart = undefined
    await this.#context.notice(`connected again after ${seconds} s`)
    await this.#tell({ event: 'back', seconds })
  }

  #pause({ retryAfter }: MeetroomError): number {
    const now = this.#context.host.monotonic()
    const pause = this.#pauses.next(now - (this.#connectedAt ?? now))
    this.#connectedAt = undefined
    const asked = parseRetryAfter(retryAfter, this.#context.host.now())
    return asked === undefined ? pause : Math.min(asked, maxPauseMs)
  }
}

async function createWatchOutput(
  context: Context,
): Promise<(room_id: string | undefined, leave: () => void) => Promise<WatchOutput>> {
  const printer = await context.printer()
  const { output } = await context.settings()
  const { stdout } = context.host
  const isView = stdout.isTTY && !isAsciiOnly(context.host) && !printer.printsJson
  if (!printer.printsJson && output.value !== 'table' && output.from === '--output')
    throw new UsageError(
      `-o ${output.value} cannot be used with “sessions watch”, which prints a view or ndjson`,
    )
  if (!isView && printer.options.columns)
    throw new UsageError('--columns cannot be used without the view on a terminal', {
      hint: 'pass --query to select fields',
    })
  printer.check(rowKinds.people, true)
  if (!isView)
    return async () => ({ tell: (told) => printer.json(told), settle: async () => {}, close: async () => {} })
  return async (room_id, leave) => {
    const { RoomView } = await import('./room-view.ts')
    return RoomView.open(context, stdout, room_id, leave)
  }
}
