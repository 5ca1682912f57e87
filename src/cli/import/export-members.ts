import { omitUndefined } from '../../api/defined.ts'
import { counted } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
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
import type { Item } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import { openRun } from '../run/run.ts'
import type { Tally } from '../run/tally.ts'

/** Number of members on first pages above which new rooms wait. */
const maxMembersAhead = 20_000

interface MemberExportOptions {
  selection: Selection | undefined
  full: FullRecords
  withLastSeen: boolean
  /** True to add the room name to each member. A name may need a request. */
  withRoomNames?: boolean
  /** True to keep anonymous participants, who cannot be invited. */
  withAnonymous?: boolean
  /** Collector of unreadable rooms; if undefined, the first unreadable room ends the export. */
  unreadRooms?: UnreadRooms
  concurrency?: number | undefined
}

/** Rooms whose members an export cannot read in full. */
export class UnreadRooms {
  readonly #context: Context
  #count = 0
  #untried = 0

  constructor(context: Context) {
    this.#context = context
  }

  /**
   * Reports the error of a room.
   * @throws all errors except `IncompleteError` and `ApiError`
   */
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

  /** @throws {PartialError} if the members of a room were not read in full */
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

  /** If too many members are read ahead, waits until another room is finished. */
  async *limit(rooms: AsyncIterable<Item>): AsyncGenerator<Item> {
    for await (const room of rooms) {
      if (this.#count > maxMembersAhead)
        await new Promise<void>((resolve) => {
          this.#proceed = resolve
        })
      yield room
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
  room: Item
  first: IteratorResult<Page, Page | undefined>
  pages: AsyncGenerator<Page, Page | undefined>
}

export async function* readMembersOfRooms(
  context: Context,
  rooms: readonly string[] | 'all',
  all: ListFlags,
  options: MemberExportOptions,
): AsyncGenerator<Page, undefined> {
  const { selection, full, withLastSeen, withRoomNames = false, unreadRooms, concurrency } = options
  const run = await openRun(context, { concurrency })
  const { client, tally } = run
  full.use(client)
  const ahead = new MembersAhead()
  const found =
    rooms === 'all' ? listRooms(context, client, tally, all) : listGivenRooms(context, tally, rooms)
  const open = async (listed: Item): Promise<Outcome<OpenRoom>> => {
    const room_id = String(listed['id'])
    const isUnnamed = withRoomNames && listed['name'] === undefined
    const room = isUnnamed ? await readRecord(client, { kind: 'room', id: room_id }) : listed
    const input = { params: { room_id } }
    const paging = { ...all, client, ahead: 1, selection, isShared: true, full }
    const selected = readList(context, 'listMembers', input, paging)
    const pages = withLastSeen ? addLastSeen(context, client, selected, room_id) : selected
    const first = await pages.next()
    ahead.add(countItems(first))
    return { status: 'ok', value: { room, first, pages } }
  }
  for await (const [{ id }, outcome] of run.each(ahead.limit(found), open)) {
    const opened = outcome.status === 'ok' ? outcome.value : undefined
    try {
      if ('error' in outcome) throw outcome.error
      if (!opened) context.interrupt.throwIfAborted()
      if (!opened || opened.first.done) continue
      yield addRoom(opened.first.value, opened.room, options)
      for await (const page of opened.pages) yield addRoom(page, opened.room, options)
    } catch (cause) {
      if (!unreadRooms) throw cause
      await unreadRooms.add(String(id), cause)
    } finally {
      if (opened) ahead.remove(countItems(opened.first))
    }
  }
  // A run stops early, for example, if the service requests a pause longer than the timeout.
  if (run.isStopped) unreadRooms?.addUntried(tally.probableTotal - tally.tried)
}

const countItems = ({ value }: OpenRoom['first']): number => value?.items.length ?? 0

async function* listRooms(
  context: Context,
  client: Client,
  tally: Tally,
  all: ListFlags,
): AsyncGenerator<Item> {
  for await (const { id, name = null } of listEachRoom(context, tally, all, client))
    yield { id: String(id), name }
}

async function* listGivenRooms(context: Context, tally: Tally, ids: readonly string[]): AsyncGenerator<Item> {
  tally.expect(ids.length)
  await new RoomsNotice(context).expect(ids.length)
  for (const id of ids) yield { id }
}

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

function addRoom(
  { items, plain }: Page,
  { id: room_id, name }: Item,
  { withRoomNames = false, withAnonymous = false }: MemberExportOptions,
): Page {
  const room_name = withRoomNames && { room_name: name === null ? null : toText(name) }
  const members = items
    .filter((member) => withAnonymous || member['user_id'] !== null)
    // Some services omit the room ID, which imports need.
    .map((member) =>
      room_name || (member['room_id'] ?? null) === null ? { ...member, room_id, ...room_name } : member,
    )
  return { items: members, ...omitUndefined({ plain }) }
}
