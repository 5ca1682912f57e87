import { listNames } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import type { Outcome } from '../../client/outcome.ts'
import { UsageError } from '../../errors.ts'
import type { Filter } from '../filter/where.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import { undefinedIfRoomGone } from '../records/look-up.ts'
import { openRun, type Run } from '../run/run.ts'
import { evaluateRoomMetrics, type RoomMetrics } from './evaluate-room-metrics.ts'
import type { FullRecords } from './full-records.ts'
import { PresenceReader } from './presence.ts'
import { type Qualifier, RoomsNotice } from './rooms-notice.ts'

const maxNamed = 10

interface ReaderOptions {
  filter: Filter
  /** Metrics of the conditions, and other metrics that the command needs. */
  needed: readonly string[]
  full: FullRecords
  pace: PaceFlags
}

interface OpenReader {
  run: Run
  presences: PresenceReader
}

/** Reader of room metrics. Skips rooms that were deleted in the meantime. Reports unreadable rooms. */
export class RoomMetricsReader {
  readonly #filter: Filter
  readonly needed: readonly string[]
  readonly #full: FullRecords
  readonly #pace: PaceFlags
  readonly #failed: string[] = []
  readonly #notice: RoomsNotice
  #reader: Promise<OpenReader> | undefined
  #probableTotal = 0
  #total = 0
  readonly #context: Context

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
    return `could not read ${length} of ${this.#total} rooms: ${listNames(this.#failed, maxNamed)}`
  }

  /**
   * Prints a notice if there are many rooms.
   * @param total probable number of rooms
   */
  async expect(found: number, total: number | undefined, qualifier?: Qualifier): Promise<void> {
    this.#probableTotal = total ?? 0
    await this.#notice.expect(total, found, total === undefined ? undefined : qualifier)
  }

  /**
   * @throws {UsageError} if the filter needs `idle`, but a room has no sessions and no readable `created_at`
   * @throws the error that stopped the run
   */
  async *of(rooms: readonly Item[]): AsyncGenerator<RoomMetrics> {
    if (rooms.length === 0) return
    this.#reader ??= this.#open()
    const reader = await this.#reader
    this.#total += rooms.length
    const { tally } = reader.run
    tally.expect(this.#total)
    tally.estimate(this.#probableTotal)
    for await (const [room, outcome] of reader.run.each(rooms, (room) => this.#evaluate(reader, room)))
      if (outcome.status === 'ok') yield outcome.value
      else if (outcome.status !== 'skipped') await this.#fail(reader.run, room, outcome)
  }

  /** Reads the metrics of the conditions again; returns undefined if the match is unknown. */
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
    const run = await openRun(this.#context, this.#pace)
    return { run, presences: new PresenceReader(this.#context, run.client) }
  }

  async #fail({ fatal }: Run, room: Item, outcome: Outcome<RoomMetrics>): Promise<void> {
    this.#context.interrupt.throwIfAborted()
    this.#failed.push(String(room['id']))
    if (!('error' in outcome) || !outcome.error) return
    if (fatal || outcome.error instanceof UsageError) throw outcome.error
    await this.#context.reportError(outcome.error)
  }

  async #evaluate({ run, presences }: OpenReader, room: Item): Promise<Outcome<RoomMetrics>> {
    const inspection = {
      filter: this.#filter,
      needed: this.needed,
      presences,
      clock: this.#context.host,
      recordOf: async (room: Item) => (await this.#full.of([room], ''))[0],
    }
    const reading = evaluateRoomMetrics(inspection, room)
    const value = await undefinedIfRoomGone(run.client, String(room['id']), reading)
    return value ? { status: 'ok', value } : { status: 'skipped' }
  }
}
