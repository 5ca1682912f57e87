import { isFatal, type Outcome } from '../../client/outcome.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import type { Filter } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import { openPool, type Pool } from '../pool/pool.ts'
import { startAll } from '../pool/start-all.ts'
import { Tally } from '../pool/tally.ts'
import { evaluateRoomFacts, type RoomMetrics } from './evaluate-room-facts.ts'
import type { FullRecords } from './full-records.ts'
import { PresenceReader } from './presence.ts'
import { undefinedIfNotFound } from './run-one.ts'

/** Number of rooms that an error names one by one. */
const mostNamed = 10

/** How rooms are looked into. */
interface Opened {
  pool: Pool
  presences: PresenceReader
}

/**
 * What happens in rooms, asked of the service for each of them. A room that is deleted meanwhile is passed over; one that
 * cannot be looked into is reported and remembered: nothing is concluded about it.
 */
export class RoomMetricsReader {
  readonly #context: Context
  readonly #filter: Filter
  readonly #full: FullRecords
  readonly #pace: PaceFlags
  readonly #tally = new Tally(0, () => '')
  /** Ids of the rooms that could not be looked into. */
  readonly #failed: string[] = []
  #opening: Promise<Opened> | undefined

  /** @param full what rooms carry that lists leave out */
  constructor(context: Context, filter: Filter, full: FullRecords, pace: Partial<PaceFlags>) {
    this.#context = context
    this.#filter = filter
    this.#full = full
    this.#pace = { concurrency: 8, ...pace }
  }

  /** Of which rooms it is not known what happens in them; undefined when there are none. */
  get problem(): string | undefined {
    const { length } = this.#failed
    if (length === 0) return undefined
    const more = length > mostNamed ? ` and ${length - mostNamed} more` : ''
    const names = this.#failed.slice(0, mostNamed).join(', ')
    return `could not look into ${length} of ${this.#tally.total} rooms: ${names}${more}`
  }

  /**
   * What there is to find out about rooms, in the same order.
   * @throws {UsageError} when a room does not tell since when it is idle
   * @throws {AuthError | NetworkError | WrongBaseUrlError} when no room can be looked into
   */
  async *of(rooms: readonly Item[]): AsyncGenerator<RoomMetrics> {
    if (rooms.length === 0) return
    this.#opening ??= this.#open()
    const opened = await this.#opening
    this.#tally.expect(this.#tally.total + rooms.length)
    const outcomes = startAll(opened.pool, rooms, (room) => this.#lookInto(opened, room))
    let isOver = false
    try {
      for (const [i, outcome] of outcomes.entries()) {
        const ended = await outcome
        if (ended.status === 'ok') yield ended.value
        else if (ended.status !== 'skipped') await this.#fail(rooms[i] as Item, ended)
      }
      isOver = true
    } finally {
      if (!isOver) {
        opened.pool.stop()
        await Promise.all(outcomes)
      }
    }
  }

  async #open(): Promise<Opened> {
    const pool = await openPool(this.#context, this.#pace, this.#tally, { reads: true })
    return { pool, presences: new PresenceReader(this.#context, pool.client) }
  }

  async #fail(room: Item, outcome: Outcome<RoomMetrics>): Promise<void> {
    this.#context.interrupt.throwIfAborted()
    this.#failed.push(String(room['id']))
    if (!('error' in outcome) || !outcome.error) return
    if (isFatal(outcome.error) || outcome.error instanceof UsageError) throw outcome.error
    await this.#context.report(outcome.error)
  }

  async #lookInto({ pool, presences }: Opened, room: Item): Promise<Outcome<RoomMetrics>> {
    const inquiry = {
      filter: this.#filter,
      presences,
      clock: this.#context.host,
      recordOf: async (room: Item) => (await this.#full.of([room], ''))[0],
    }
    try {
      return { status: 'ok', value: await evaluateRoomFacts(inquiry, room) }
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      // A service without these lists gives the same answer as for a room that is gone.
      const found = await undefinedIfNotFound(
        pool.client.call('getRoom', { params: { id: String(room['id']) } }),
      )
      if (found) throw error
      return { status: 'skipped' }
    }
  }
}
