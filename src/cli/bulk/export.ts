import { omitUndefined } from '../../api/defined.ts'
import { readAnswer } from '../../api/json.ts'
import { member, room, user } from '../../api/resources.ts'
import type { Answer, Client } from '../../client/client.ts'
import { isFatal, toFailure } from '../../client/outcome.ts'
import { ApiError, IncompleteError, PartialError, UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import { FullRecords } from '../lists/full-records.ts'
import { type LastSeen, lastSeenIn } from '../lists/last-seen.ts'
import { listPages, openSelection } from '../lists/list.ts'
import type { Selection } from '../lists/selection.ts'
import { holdsSecret, removeSecrets } from '../output/redaction/secrets.ts'
import type { Page } from '../output/views/page.ts'
import { type Item, type View, views } from '../output/views/views.ts'
import { mapAhead } from '../pool/map-ahead.ts'
import { describeUnrestored } from './unrestored.ts'

export interface ExportFlags {
  where?: string[]
  pageSize?: number
  allRooms?: boolean
  with?: 'last_seen'
  concurrency?: number
}

const ahead = 4

const getUser = (client: Client, user_id: string) => client.call('getUser', { params: { user_id } })
const getRoom = (client: Client, id: string) => client.call('getRoom', { params: { id } })

const exported = {
  users: { resource: user, list: 'listUsers', get: getUser },
  rooms: { resource: room, list: 'listRooms', get: getRoom },
  members: { resource: member, list: 'listMembers', get: undefined },
} as const

/**
 * Exports all items of a kind for `import`, as CSV by default.
 * @param ids IDs of the items, or of the members' rooms; all items if empty. `-` reads IDs from standard input
 */
export async function runExport(
  context: Context,
  name: keyof typeof exported,
  ids: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  const { resource, list, get } = exported[name]
  // Some services omit null fields, so a later page may have further fields.
  const { unlisted = [] } = views[resource.name]
  const view: View = { ...views[resource.name], kept: [...unlisted, ...(flags.with ? [flags.with] : [])] }
  const { output } = await context.settings()
  const asked = output.from === '--output'
  if (asked && (output.value === 'table' || output.value === 'ids'))
    throw new UsageError(`an export is csv, tsv, ndjson or json, not ${output.value}`)
  const printer = await context.printer(
    output.value === 'table' || output.value === 'ids' ? 'csv' : output.value,
  )
  printer.check(view)
  if (list === 'listMembers' && (ids.length === 0) !== (flags.allRooms === true))
    throw new UsageError('name the rooms, or pass --all-rooms')
  const selection = await openSelection(context, list, flags.where, flags)
  const full = selection?.full ?? new FullRecords(context, list)
  const all = { all: true, ...omitUndefined({ pageSize: flags.pageSize }) }
  const given = await readIds(ids, context.host)
  const unread = new UnreadRooms(context)
  const pages =
    list === 'listMembers'
      ? membersOf(context, flags.allRooms ? allRoomIds(context, all) : given, all, {
          selection,
          full,
          withLastSeen: flags.with === 'last_seen',
          ...(flags.allRooms && { unread }),
        })
      : ids.length > 0
        ? chosenFrom(recordsOf(context, resource.name, given, get), selection)
        : inFull(await listPages(context, list, {}, all, { ahead, selection }), full)
  const chosen = selection ? selection.withReport(pages) : pages
  const { columns, showTokens } = printer.options
  const safe = new WithoutSecrets(chosen)
  const isChosen = showTokens || columns !== undefined
  const count = await printer.list(view, resource.plural, isChosen ? chosen : safe.pages())
  const left = safe.hasLeftOut ? ', without access tokens (--show-tokens includes them)' : ''
  await context.notice(`exported ${count} ${count === 1 ? view.noun[0] : view.noun[1]}${left}`)
  if (output.value === 'tsv')
    await context.notice('an import does not undo the escapes of TSV; export CSV for an import')
  if (count > 0) await context.notice(`an import elsewhere does not restore ${describeUnrestored(name)}`)
  unread.throwIfAny()
}

/** Pages without access tokens, which cannot be imported and should not be in files. */
class WithoutSecrets {
  readonly #from: AsyncIterable<Page>
  /** True when tokens were removed. */
  hasLeftOut = false

  constructor(from: AsyncIterable<Page>) {
    this.#from = from
  }

  async *pages(): AsyncGenerator<Page> {
    for await (const page of this.#from) {
      const items = page.items.map((item) => removeSecrets(item))
      const isSame = items.every((item, i) => item === page.items[i])
      this.hasLeftOut ||= page.items.some(holdsSecret)
      const { whole: _, ...rest } = page
      yield isSame ? page : { ...rest, items }
    }
  }
}

const pageRecords = 100

async function* recordsOf(
  context: Context,
  field: string,
  ids: readonly string[],
  get: (client: Client, id: string) => Promise<Answer>,
): AsyncGenerator<Page, undefined> {
  const client = await context.client()
  const record = async (id: string) => (readAnswer(await get(client, id)) as Item)[field] as Item
  let items: Item[] = []
  for await (const item of mapAhead(ids, ahead, record)) {
    items.push(item)
    if (items.length < pageRecords) continue
    yield { items }
    items = []
  }
  if (items.length > 0) yield { items }
}

function chosenFrom(pages: AsyncGenerator<Page, undefined>, selection: Selection | undefined) {
  return selection ? selection.from(pages, '') : pages
}

async function* allRoomIds(context: Context, all: ListFlags): AsyncGenerator<string> {
  for await (const { items } of await listPages(context, 'listRooms', {}, all, { ahead: 1 }))
    for (const { id } of items) yield String(id)
}

interface Shared {
  selection: Selection | undefined
  full: FullRecords
  withLastSeen: boolean
  /** Collects rooms that cannot be read; without it, the first one ends the export. */
  unread?: UnreadRooms
}

/** Rooms that an export passes over because their members cannot be read. */
class UnreadRooms {
  readonly #context: Context
  #count = 0

  constructor(context: Context) {
    this.#context = context
  }

  /** Reports the error of a room. @throws the error if other rooms would fail in the same way */
  async add(room_id: string, cause: unknown): Promise<void> {
    const { error } = toFailure(cause)
    if (isFatal(error) || !(error instanceof IncompleteError || error instanceof ApiError)) throw cause
    this.#count++
    const { message, status, hint } = error
    const Kind = error instanceof IncompleteError ? IncompleteError : ApiError
    await this.#context.report(
      new Kind(`room ${room_id}: ${message}`, { cause, ...omitUndefined({ status, hint }) }),
    )
  }

  throwIfAny(): void {
    const rooms = this.#count === 1 ? '1 room' : `${this.#count} rooms`
    if (this.#count > 0) throw new PartialError(`the members of ${rooms} could not be read in full`)
  }
}

/** Lists the members of several rooms, and requests the first pages of the next rooms ahead. */
async function* membersOf(
  context: Context,
  rooms: AsyncIterable<string> | Iterable<string>,
  all: ListFlags,
  { selection, full, withLastSeen, unread }: Shared,
): AsyncGenerator<Page, undefined> {
  const begun = mapAhead(rooms, ahead, async (room_id) => {
    const input = { params: { room_id } }
    try {
      const listed = await listPages(context, 'listMembers', input, all, { ahead: 1, selection })
      const chosen = inFull(listed, full, room_id)
      const pages = withLastSeen ? seen(context, chosen, room_id) : chosen
      return { room_id, pages, first: await pages.next() }
    } catch (error) {
      return { room_id, error }
    }
  })
  for await (const { room_id, pages, first, error } of begun)
    try {
      if (!pages) throw error
      if (first.done) continue
      yield usersOf(first.value, room_id)
      for await (const page of pages) yield usersOf(page, room_id)
    } catch (cause) {
      if (!unread) throw cause
      await unread.add(room_id, cause)
    }
}

async function* inFull(
  pages: AsyncGenerator<Page, Page | undefined>,
  full: FullRecords,
  room = '',
): AsyncGenerator<Page, Page | undefined> {
  for (;;) {
    const next = await pages.next()
    if (next.done) return next.value
    const page = next.value
    const records = await full.of(page.items, room)
    const items = records.filter((record) => record !== undefined)
    const isSame = records.every((record, i) => record === page.items[i])
    yield isSame ? page : { items, ...omitUndefined({ rest: page.rest }) }
  }
}

/** Adds `last_seen` to the members, with one list of sessions per room. */
async function* seen(
  context: Context,
  pages: AsyncGenerator<Page, Page | undefined>,
  room_id: string,
): AsyncGenerator<Page, Page | undefined> {
  let lastSeen: LastSeen | undefined
  for (;;) {
    const next = await pages.next()
    if (next.done) return next.value
    const { whole: _, ...page } = next.value
    if (page.items.length > 0) lastSeen ??= await lastSeenIn(context, { room_id })
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
function usersOf({ items, plain }: Page, room_id: string): Page {
  const users = items
    .filter((member) => member['user_id'] !== null)
    .map((member) => ((member['room_id'] ?? null) === null ? { ...member, room_id } : member))
  return { items: users, ...omitUndefined({ plain }) }
}
