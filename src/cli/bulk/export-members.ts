import { omitUndefined } from '../../api/defined.ts'
import { counted } from '../../api/plural.ts'
import { isFatal, toFailure } from '../../client/outcome.ts'
import { ApiError, IncompleteError, PartialError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import { completePages, type FullRecords } from '../lists/full-records.ts'
import { type LastSeen, readLastSeen } from '../lists/last-seen.ts'
import { listPages } from '../lists/list.ts'
import { listEachRoom } from '../lists/list-each-room.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import type { Selection } from '../lists/selection.ts'
import type { Page } from '../output/views/page.ts'
import { mapAhead } from '../pool/map-ahead.ts'
import { showProgress } from '../pool/progress.ts'
import { Tally } from '../pool/tally.ts'

/** Maximum number of rooms whose first page is requested ahead. */
const maxConcurrentReads = 4

interface MemberExportOptions {
  selection: Selection | undefined
  full: FullRecords
  withLastSeen: boolean
  /** Collector of unreadable rooms; if undefined, the first unreadable room ends the export. */
  unreadRooms?: UnreadRooms
}

/** Rooms that an export skips because their members cannot be read. */
export class UnreadRooms {
  readonly #context: Context
  #count = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Reports the error of a room, or throws it if other rooms would fail in the same way. */
  async add(room_id: string, cause: unknown): Promise<void> {
    const { error } = toFailure(cause)
    if (isFatal(error) || !(error instanceof IncompleteError || error instanceof ApiError)) throw cause
    this.#count++
    const { message, status, hint } = error
    const ErrorType = error instanceof IncompleteError ? IncompleteError : ApiError
    await this.#context.reportError(
      new ErrorType(`room ${room_id}: ${message}`, { cause, ...omitUndefined({ status, hint }) }),
    )
  }

  throwIfAny(): void {
    if (this.#count > 0)
      throw new PartialError(`the members of ${counted(this.#count, 'room')} could not be read in full`)
  }
}

/** Reads the members of rooms in pages, with progress on a terminal. */
export async function* readMembersOfRooms(
  context: Context,
  rooms: readonly string[] | 'all',
  all: ListFlags,
  { selection, full, withLastSeen, unreadRooms }: MemberExportOptions,
): AsyncGenerator<Page, undefined> {
  const tally = new Tally(0, () => '')
  const updateProgress = showProgress(context, tally, { current: maxConcurrentReads })
  const count = (status: 'ok' | 'failed') => {
    tally.add({ status })
    updateProgress()
  }
  const ids = rooms === 'all' ? allRoomIds(context, tally, all) : givenRoomIds(context, tally, rooms)
  const firstPages = mapAhead(ids, maxConcurrentReads, async (room_id) => {
    const input = { params: { room_id } }
    try {
      const memberPages = await listPages(context, 'listMembers', input, all, { ahead: 1, selection })
      const selected = completePages(memberPages, full, room_id)
      const pages = withLastSeen ? addLastSeen(context, selected, room_id) : selected
      return { room_id, pages, first: await pages.next() }
    } catch (error) {
      return { room_id, error }
    }
  })
  try {
    for await (const { room_id, pages, first, error } of firstPages)
      try {
        if (!pages) throw error
        if (!first.done) {
          yield keepUsers(first.value, room_id)
          for await (const page of pages) yield keepUsers(page, room_id)
        }
        count('ok')
      } catch (cause) {
        if (!unreadRooms) throw cause
        count('failed')
        await unreadRooms.add(room_id, cause)
      }
  } finally {
    context.statusLine.clear()
  }
}

async function* allRoomIds(context: Context, tally: Tally, all: ListFlags): AsyncGenerator<string> {
  for await (const { id } of listEachRoom(context, tally, all)) yield String(id)
}

async function* givenRoomIds(context: Context, tally: Tally, ids: readonly string[]): AsyncGenerator<string> {
  tally.expect(ids.length)
  await new RoomsNotice(context).expect(ids.length)
  yield* ids
}

/** Adds `last_seen` to the members. Lists the sessions of each room once. */
async function* addLastSeen(
  context: Context,
  pages: AsyncGenerator<Page, Page | undefined>,
  room_id: string,
): AsyncGenerator<Page, Page | undefined> {
  let lastSeen: LastSeen | undefined
  for (;;) {
    const next = await pages.next()
    if (next.done) return next.value
    const { whole: _, ...page } = next.value
    if (page.items.length > 0) lastSeen ??= await readLastSeen(context, { room_id })
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
