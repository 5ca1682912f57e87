import { textOf } from '../../api/text-of.ts'
import { NotFoundError, UsageError } from '../../errors.ts'
import type { Context } from '../context.ts'
import type { PaceFlags } from '../flags.ts'
import { fieldOf, type Item, views } from '../output/views.ts'
import { startEach } from '../pool/each.ts'
import { type Outcome, stopsAll } from '../pool/outcome.ts'
import { openPool, type Pool } from '../pool/pool.ts'
import { Tally } from '../pool/tally.ts'
import { idleSince } from './facts.ts'
import type { FullRecords } from './full-records.ts'
import { orUndefined } from './one.ts'
import { Presences } from './presence.ts'
import { birth, type Filter } from './where.ts'

/** Number of rooms that an error names one by one. */
const mostNamed = 10

/** A room, what was found out about it, and whether that matches; undefined when it does not settle it. */
export interface Found {
  room: Item
  facts: Item
  matches: boolean | undefined
}

/** One of the requests about a room, with what those before it found out. */
type Step = (facts: Item) => Promise<Item>

/** How rooms are looked into. */
interface Opened {
  pool: Pool
  presences: Presences
}

/**
 * What happens in rooms, asked of the service for each of them. A room that is deleted meanwhile is passed over; one that
 * cannot be looked into is reported and remembered: nothing is concluded about it.
 */
export class RoomFacts {
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
  async *of(rooms: readonly Item[]): AsyncGenerator<Found> {
    if (rooms.length === 0) return
    this.#opening ??= this.#open()
    const opened = await this.#opening
    this.#tally.expect(this.#tally.total + rooms.length)
    const outcomes = startEach(opened.pool, rooms, (room) => this.#lookInto(opened, room))
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
    return { pool, presences: new Presences(this.#context, pool.client) }
  }

  async #fail(room: Item, outcome: Outcome<Found>): Promise<void> {
    this.#context.interrupt.throwIfAborted()
    this.#failed.push(String(room['id']))
    if (!('error' in outcome) || !outcome.error) return
    if (stopsAll(outcome.error) || outcome.error instanceof UsageError) throw outcome.error
    await this.#context.report(outcome.error)
  }

  async #lookInto(opened: Opened, room: Item): Promise<Outcome<Found>> {
    const { pool } = opened
    try {
      let facts: Item = {}
      for (const step of this.#steps(opened, room)) {
        // What is settled costs no further request.
        if (this.#filter.admits(facts) === false) break
        facts = { ...facts, ...(await step(facts)) }
      }
      return { status: 'ok', value: { room, facts, matches: this.#filter.admits(facts) } }
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error
      // A service without these lists gives the same answer as for a room that is gone.
      const found = await orUndefined(pool.client.call('getRoom', { params: { id: String(room['id']) } }))
      if (found) throw error
      return { status: 'skipped' }
    }
  }

  /** The requests that find out what is needed, the cheapest first. */
  #steps({ presences }: Opened, room: Item): Step[] {
    const id = String(room['id'])
    const needs = (fact: string) => this.#filter.facts.includes(fact)
    const readsAll = needs('last_active') || needs(idleSince)
    const steps: readonly (Step | false)[] = [
      needs('members') && (async () => ({ members: await presences.count('listMembers', id) })),
      !readsAll && needs('online') && (async () => ({ online: await presences.online(id) })),
      !readsAll &&
        needs('sessions') &&
        (async () => ({ sessions: await presences.count('listSessions', id) })),
      readsAll && (() => this.#history(presences, id)),
      needs(idleSince) &&
        (async (facts) => ({ [idleSince]: facts['last_active'] ?? (await this.#creation(room, facts)) })),
    ]
    return steps.filter((step) => step !== false)
  }

  async #history(presences: Presences, id: string): Promise<Item> {
    const { online, sessions, last } = await presences.of(id)
    const now = new Date(this.#context.host.now()).toISOString()
    return { online, sessions, last_active: online ? now : online === 0 ? last : undefined }
  }

  /**
   * When a room that nobody ever was in was created.
   * @throws {UsageError} when it does not tell
   */
  async #creation(room: Item, { last_active }: Item): Promise<unknown> {
    if (last_active === undefined) return undefined
    const isTold = fieldOf(views.room, birth, room).known
    const [record] = isTold ? [room] : await this.#full.of([room], '')
    if (!record) throw new NotFoundError(`no such room: ${room['id']}`)
    const told = fieldOf(views.room, birth, record)
    if (told.known && !Number.isNaN(Date.parse(textOf(told.value)))) return told.value
    throw new UsageError(
      `--where: nobody was ever in room ${room['id']}, and without ${birth} there is no telling since when it is idle`,
      {
        hint: 'to leave such rooms out: --where sessions>0',
      },
    )
  }
}
