import { omitUndefined } from '../../api/defined.ts'
import { counted } from '../../api/plural.ts'
import type { Client } from '../../client/client.ts'
import { type Outcome, toFailure } from '../../client/outcome.ts'
import { ApiError, IncompleteError, PartialError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import type { FullRecords } from '../lists/full-records.ts'
import { type LastSeen, readLastSeen } from '../lists/last-seen.ts'
import { listEachRoom } from '../lists/list-each-room.ts'
import { readList } from '../lists/read-list.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import type { Selection } from '../lists/selection.ts'
import type { Page } from '../output/views/page.ts'
import { openRun } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'

/** Number of members read ahead above which no further room is started, to limit memory. */
const maxMembersAhead = 20_000

interface MemberExportOptions {
  selection: Selection | undefined
  full: FullRecords
  withLastSeen: boolean
  /** Collector of unreadable rooms; if undefined, the first unreadable room ends the export. */
  unreadRooms?: UnreadRooms
  concurrency?: number | undefined
}

/** Rooms that an export skips because their members cannot be read. */
export class UnreadRooms {
  readonly #context: Context
  #count = 0
  #untried = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Reports the error of a room, or throws it if other rooms would fail in the same way. */
  async add(room_id: string, cause: unknown): Promise<void> {
    const { error } = toFailure(cause)
    if (!(error instanceof IncompleteError || error instanceof ApiError)) throw cause
    this.#count++
    const { message, status, hint } = error
    const ErrorType = error instanceof IncompleteError ? IncompleteError : ApiError
    await this.#context.reportError(
      new ErrorType(`room ${room_id}: ${message}`, { cause, ...omitUndefined({ status, hint }) }),
    )
  }

  addUntried(count: number): void {
    this.#untried += count
  }

  throwIfAny(): void {
    const untried = this.#untried === 0 ? '' : `; ${counted(this.#untried, 'room')} not tried`
    if (this.#count + this.#untried > 0)
      throw new PartialError(
        `the members of ${counted(this.#count, 'room')} could not be read in full${untried}`,
      )
  }
}

class MembersAhead {
  #count = 0
  #proceed = () => {}

  /** Yields rooms. While too many members are read ahead, yields one room for each written room. */
  async *limit(rooms: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const id of rooms) {
      if (this.#count > maxMembersAhead)
        await new Promise<void>((resolve) => {
          this.#proceed = resolve
        })
      yield id
    }
  }

  add(count: number): void {
    this.#count += count
  }

  remove(count: number): void {
    this.#count -= count
    this.#proceed()
  }
}

/** Members of a room, with the first page already read. */
interface OpenRoom {
  first: IteratorResult<Page, Page | undefined>
  pages: AsyncGenerator<Page, Page | undefined>
}

/** Reads the members of rooms in pages, with progress on a terminal. */
export async function* readMembersOfRooms(
  context: Context,
  rooms: readonly string[] | 'all',
  all: ListFlags,
  { selection, full, withLastSeen, unreadRooms, concurrency }: MemberExportOptions,
): AsyncGenerator<Page, undefined> {
  const run = await openRun(context, { concurrency })
  const { client, tally } = run
  full.use(client)
  const ahead = new MembersAhead()
  const ids = rooms === 'all' ? allRoomIds(context, client, tally, all) : givenRoomIds(context, tally, rooms)
  const open = async (room_id: string): Promise<Outcome<OpenRoom>> => {
    const input = { params: { room_id } }
    const options = { ...all, client, ahead: 1, selection, isShared: true, full }
    const selected = readList(context, 'listMembers', input, options)
    const pages = withLastSeen ? addLastSeen(context, client, selected, room_id) : selected
    const first = await pages.next()
    ahead.add(countItems(first))
    return { status: 'ok', value: { first, pages } }
  }
  for await (const [room_id, outcome] of run.each(ahead.limit(ids), open)) {
    const room = outcome.status === 'ok' ? outcome.value : undefined
    try {
      if ('error' in outcome) throw outcome.error
      if (!room) context.interrupt.throwIfAborted()
      if (!room || room.first.done) continue
      yield keepUsers(room.first.value, room_id)
      for await (const page of room.pages) yield keepUsers(page, room_id)
    } catch (cause) {
      if (!unreadRooms) throw cause
      await unreadRooms.add(room_id, cause)
    } finally {
      if (room) ahead.remove(countItems(room.first))
    }
  }
  // The run stops if the service asks for a pause that is longer than the timeout.
  if (run.isStopped) unreadRooms?.addUntried(tally.probableTotal - tally.tried)
}

const countItems = ({ value }: OpenRoom['first']): number => value?.items.length ?? 0

async function* allRoomIds(
  context: Context,
  client: Client,
  tally: Tally,
  all: ListFlags,
): AsyncGenerator<string> {
  for await (const { id } of listEachRoom(context, tally, all, client)) yield String(id)
}

async function* givenRoomIds(context: Context, tally: Tally, ids: readonly string[]): AsyncGenerator<string> {
  tally.expect(ids.length)
  await new RoomsNotice(context).expect(ids.length)
  yield* ids
}

/** Adds `last_seen` to the members. Lists the sessions of each room once. */
async function* addLastSeen(
  context: Context,
  client: Client,
  pages: AsyncGenerator<Page, Page | undefined>,
  room_id: string,
): AsyncGenerator<Page, Page | undefined> {
  let lastSeen: LastSeen | undefined
  for (;;) {
    const next = await pages.next()
    if (next.done) return next.value
    const { whole: _, ...page } = next.value
    if (page.items.length > 0) lastSeen ??= await readLastSeen(context, { room_id, client })
    yield {
      ...page,
      items: page.items.map((member) => ({ ...member, last_seen: lastSeen?.(member) ?? null })),
    }
  }
}

/**
 * Drops anonymous participants, which cannot be invited, and adds the room ID, which import needs and some
 * services omit.
 */
function keepUsers({ items, plain }: Page, room_id: string): Page {
  const users = items
    .filter((member) => member['user_id'] !== null)
    .map((member) => ((member['room_id'] ?? null) === null ? { ...member, room_id } : member))
  return { items: users, ...omitUndefined({ plain }) }
}
