import { listNames } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import { isFatal, type Outcome } from '../../client/outcome.ts'
import { UsageError } from '../../errors.ts'
import type { Filter } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import { openPool, type Pool } from '../run/pool.ts'
import { startAll } from '../run/run-items.ts'
import { Tally } from '../run/tally.ts'
import { evaluateRoomMetrics, type RoomMetrics } from './evaluate-room-metrics.ts'
import { undefinedIfRoomGone } from './find-item.ts'
import type { FullRecords } from './full-records.ts'
import { PresenceReader } from './presence.ts'
import { type Qualifier, RoomsNotice } from './rooms-notice.ts'

const maxNamed = 10

interface ReaderOptions {
  filter: Filter
  /** Metrics of the conditions, and metrics that are only shown. */
  needed: readonly string[]
  full: FullRecords
  pace: PaceFlags
}

interface OpenReader {
  pool: Pool
  presences: PresenceReader
}

/**
 * Reader of room metrics. Rooms that were deleted meanwhile are skipped; unreadable rooms are
 * reported and stay undecided.
 */
export class RoomMetricsReader {
  readonly #context: Context
  readonly #filter: Filter
  readonly needed: readonly string[]
  readonly #full: FullRecords
  readonly #pace: PaceFlags
  readonly #tally = new Tally(0, () => '')
  readonly #failed: string[] = []
  readonly #notice: RoomsNotice
  #reader: Promise<OpenReader> | undefined

  constructor(context: Context, { filter, needed, full, pace }: ReaderOptions) {
    this.#context = context
    this.#filter = filter
    this.needed = needed
    this.#full = full
    this.#notice = new RoomsNotice(context)
    this.#pace = pace
  }

  get problem(): string | undefined {
    const { length } = this.#failed
    if (length === 0) return undefined
    return `could not read ${length} of ${this.#tally.total} rooms: ${listNames(this.#failed, maxNamed)}`
  }

  /**
   * Prints a notice if there are many rooms.
   * @param total probable number of rooms; undefined if unknown
   */
  async expect(found: number, total: number | undefined, qualifier?: Qualifier): Promise<void> {
    this.#tally.estimate(total ?? 0)
    await (total === undefined ? this.#notice.found(found) : this.#notice.expect(total, qualifier))
  }

  /**
   * @throws {UsageError} when `idle` cannot be computed
   * @throws {AuthError or NetworkError or WrongBaseUrlError} when no room can be read
   */
  async *of(rooms: readonly Item[]): AsyncGenerator<RoomMetrics> {
    if (rooms.length === 0) return
    this.#reader ??= this.#open()
    const reader = await this.#reader
    this.#tally.expect(this.#tally.total + rooms.length)
    const outcomes = startAll(reader.pool, rooms, (room) => this.#evaluate(reader, room))
    let isOver = false
    try {
      for (const [i, outcome] of outcomes.entries()) {
        const result = await outcome
        if (result.status === 'ok') yield result.value
        else if (result.status !== 'skipped') await this.#fail(rooms[i] as Item, result)
      }
      isOver = true
    } finally {
      if (!isOver) {
        reader.pool.stop()
        await Promise.all(outcomes)
      }
    }
  }

  /** Returns whether a room still matches; undefined if unknown. Reads its sessions and members again. */
  async matchesAgain(room: Item, client: Client): Promise<boolean | undefined> {
    const presences = new PresenceReader(this.#context, client)
    const recordOf = async () => room
    const { host } = this.#context
    const { matches } = await evaluateRoomMetrics(
      { filter: this.#filter, needed: this.#filter.metrics, presences, clock: host, recordOf },
      room,
    )
    return matches
  }

  async #open(): Promise<OpenReader> {
    const pool = await openPool(this.#context, this.#pace, this.#tally)
    return { pool, presences: new PresenceReader(this.#context, pool.client) }
  }

  async #fail(room: Item, outcome: Outcome<RoomMetrics>): Promise<void> {
    this.#context.interrupt.throwIfAborted()
    this.#failed.push(String(room['id']))
    if (!('error' in outcome) || !outcome.error) return
    if (isFatal(outcome.error) || outcome.error instanceof UsageError) throw outcome.error
    await this.#context.reportError(outcome.error)
  }

  async #evaluate({ pool, presences }: OpenReader, room: Item): Promise<Outcome<RoomMetrics>> {
    const inspection = {
      filter: this.#filter,
      needed: this.needed,
      presences,
      clock: this.#context.host,
      recordOf: async (room: Item) => (await this.#full.of([room], ''))[0],
    }
    const reading = evaluateRoomMetrics(inspection, room)
    const value = await undefinedIfRoomGone(pool.client, String(room['id']), reading)
    return value ? { status: 'ok', value } : { status: 'skipped' }
  }
}
