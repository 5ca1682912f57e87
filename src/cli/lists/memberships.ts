import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import { isFatal, type Outcome, toFailure } from '../../client/outcome.ts'
import { ApiError, type MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import { finishRun } from '../pool/finish-run.ts'
import { openPool, type Pool } from '../pool/pool.ts'
import { runInOrder } from '../pool/run-in-order.ts'
import { Tally } from '../pool/tally.ts'
import { FullRecords } from './full-records.ts'
import { lastSeenIn } from './last-seen.ts'
import { listPages } from './list.ts'
import { undefinedIfNotFound } from './run-one.ts'
import { membersOf } from './user-members.ts'

/** A room in which somebody is a member. */
export interface Membership {
  user_id: string
  /** As the list of rooms shows it, which is at least id, type and name (section 2.1). */
  room: Item
  /** With everything that the service tells of the member. */
  member: Item
  lastSeen: string | null
}

interface Search {
  users: ReadonlySet<string>
  /** Looks up when each member was last connected. */
  withLastSeen?: boolean
  /** Reports every room that cannot be read; the caller does it otherwise. */
  reports?: boolean
}

/**
 * Finds all memberships of some users. The API finds rooms by no user, and lists the members of a room as a whole: every room is asked
 * once, however many users there are.
 */
export class MembershipSearch {
  readonly #context: Context
  readonly #search: Search
  /** Counts the rooms. */
  readonly #tally: Tally
  readonly #pool: Pool
  readonly #full: FullRecords
  /** The rooms that could not be read, each with the reason. */
  readonly unread: { room: Item; error: MeetroomError }[] = []
  #fatal: MeetroomError | undefined

  private constructor(context: Context, search: Search, tally: Tally, pool: Pool) {
    this.#context = context
    this.#search = search
    this.#tally = tally
    this.#pool = pool
    this.#full = new FullRecords(context, 'listMembers', pool.client)
  }

  /** @throws {AuthError | UsageError} when there is no service, or no key to send with */
  static async open(context: Context, flags: PaceFlags, search: Search): Promise<MembershipSearch> {
    const tally = new Tally(0, inWords)
    return new MembershipSearch(context, search, tally, await openPool(context, flags, tally))
  }

  /** Room by room, in the order of the rooms. One that cannot be read does not stop the others. */
  async *found(): AsyncGenerator<readonly Membership[]> {
    const rooms = runInOrder(this.#pool, this.#rooms(), (room) => this.#look(room))
    for await (const [room, found] of rooms) {
      if (found.status === 'ok' && found.value.length > 0) yield found.value
      if (!('error' in found)) continue
      this.unread.push({ room, error: found.error })
      if (isFatal(found.error)) this.#fatal ??= found.error
      else if (this.#search.reports)
        await this.#context.report(
          new ApiError(`room ${textOf(room['id'])}: ${found.error.message}`, { cause: found.error }),
        )
    }
  }

  /** Waits whenever the service is busy. */
  get client(): Client {
    return this.#pool.client
  }

  /** Whether every room was asked, and some have answered. */
  get isUsable(): boolean {
    return !this.#pool.isStopped && (this.#tally.isComplete || this.#tally.bad < this.#tally.total)
  }

  /** What the search ends with, once all is found: undefined when every room was read. */
  end(): Promise<MeetroomError | undefined> {
    return finishRun(this.#context, this.#tally, this.#fatal)
  }

  async *#rooms(): AsyncGenerator<Item> {
    const options = { ahead: 1, client: this.#pool.client }
    let count = 0
    for await (const { items } of await listPages(this.#context, 'listRooms', {}, { all: true }, options)) {
      count += items.length
      this.#tally.expect(count)
      yield* items
    }
  }

  async #look(room: Item): Promise<Outcome<readonly Membership[]>> {
    try {
      // A room that is deleted meanwhile has no members any more.
      const value = await undefinedIfNotFound(this.#membersIn(room))
      return value ? { status: 'ok', value } : { status: 'skipped' }
    } catch (cause) {
      const failed = toFailure(cause)
      if (isFatal(failed.error)) this.#pool.stop()
      return failed
    }
  }

  async #membersIn(room: Item): Promise<Membership[]> {
    const { users, withLastSeen } = this.#search
    const { client } = this.#pool
    const room_id = textOf(room['id'])
    const members: Item[] = []
    for await (const member of membersOf(this.#context, room_id, this.#full, client))
      if (users.has(textOf(member['user_id']))) members.push(member)
    const found: Membership[] = []
    for (const member of await this.#full.of(members, room_id)) {
      if (!member) continue
      const user_id = textOf(member['user_id'])
      const asked = { room_id, user_id, client }
      const lastSeen = withLastSeen ? (await lastSeenIn(this.#context, asked))(member) : null
      found.push({ user_id, room, member, lastSeen })
    }
    return found
  }
}

function inWords(tally: Tally): string {
  const bad = tally.bad === 0 ? '' : `; ${tally.bad} could not be read`
  const untried = tally.untried === 0 ? '' : `; ${tally.untried} not tried`
  return `read ${tally.tried - tally.bad} of ${tally.total} rooms${bad}${untried}`
}
