import { toText } from '../../api/to-text.ts'
import type { Outcome } from '../../client/outcome.ts'
import type { MeetroomError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Item } from '../output/views/views.ts'
import { undefinedIfRoomGone } from '../records/look-up.ts'
import { openRun, type Run } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'
import { FullRecords } from './full-records.ts'
import { readLastSeen } from './last-seen.ts'
import { listEachRoom } from './list-each-room.ts'
import { listMembersOf } from './user-members.ts'

export interface Membership {
  user_id: string
  /** Room as a list item: at least `id`, `type` and `name` (API specification, “Room”). */
  room: Item
  member: Item
  lastSeen: string | null
}

export interface SearchedRoom {
  room: Item
  memberships: readonly Membership[]
}

interface SearchOptions {
  users: ReadonlySet<string>
  /** Conditions for the rooms to search; undefined for all rooms. */
  where?: readonly string[] | undefined
  withLastSeen?: boolean
  /** True to report unreadable rooms. */
  reports?: boolean
}

/**
 * Search for the memberships of users. The API cannot search rooms by user, so the members of rooms are
 * listed.
 */
export class MembershipSearch {
  readonly #full: FullRecords
  readonly unread: { room: Item; error: MeetroomError }[] = []

  readonly #context: Context
  readonly #flags: PaceFlags
  readonly #search: SearchOptions
  readonly #run: Run

  private constructor(context: Context, flags: PaceFlags, search: SearchOptions, run: Run) {
    this.#context = context
    this.#flags = flags
    this.#search = search
    this.#run = run
    this.#full = new FullRecords(context, 'listMembers', run.client)
  }

  /** @throws {MeetroomError} if the service cannot be opened */
  static async open(context: Context, flags: PaceFlags, search: SearchOptions): Promise<MembershipSearch> {
    return new MembershipSearch(context, flags, search, await openRun(context, flags, { summarize }))
  }

  /** Yields the memberships of each room. Skips rooms without memberships, and unreadable rooms. */
  async *found(): AsyncGenerator<readonly Membership[]> {
    for await (const { memberships } of this.searched()) if (memberships.length > 0) yield memberships
  }

  /** Yields each room that could be read. */
  async *searched(): AsyncGenerator<SearchedRoom> {
    const { where } = this.#search
    const flags = { ...this.#flags, all: true, where }
    const { client, tally } = this.#run
    const rooms = listEachRoom(this.#context, tally, flags, client)
    for await (const [room, found] of this.#run.each(rooms, (room) => this.#searchRoom(room))) {
      if (found.status === 'ok') yield { room, memberships: found.value }
      if (!('error' in found)) continue
      this.unread.push({ room, error: found.error })
      if (this.#search.reports) await this.#run.report(found, `room ${toText(room['id'])}`)
    }
  }

  get isUsable(): boolean {
    const { isStopped, tally } = this.#run
    return !isStopped && (tally.isComplete || tally.bad < tally.total)
  }

  end(): Promise<MeetroomError | undefined> {
    return this.#run.finish()
  }

  async #searchRoom(room: Item): Promise<Outcome<readonly Membership[]>> {
    // A deleted room has no members.
    const value = await undefinedIfRoomGone(this.#run.client, toText(room['id']), this.membersIn(room))
    return value ? { status: 'ok', value } : { status: 'skipped' }
  }

  /** @throws {NotFoundError} if the room does not exist */
  async membersIn(room: Item, client = this.#run.client): Promise<Membership[]> {
    const { users, withLastSeen } = this.#search
    const room_id = toText(room['id'])
    const members: Item[] = []
    for await (const member of listMembersOf(this.#context, room_id, { client, full: this.#full }))
      if (users.has(toText(member['user_id']))) members.push(member)
    const found: Membership[] = []
    for (const member of await this.#full.of(members, room_id)) {
      if (!member) continue
      const user_id = toText(member['user_id'])
      const query = { room_id, user_id, client }
      const lastSeen = withLastSeen ? (await readLastSeen(this.#context, query))(member) : null
      found.push({ user_id, room, member, lastSeen })
    }
    return found
  }
}

function summarize(tally: Tally): string {
  return tally.describe([`read ${tally.tried - tally.bad} of ${tally.total} rooms`], { skipped: 0 })
}
