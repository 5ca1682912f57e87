import { omitUndefined } from '../../api/defined.ts'
import { readResponseValue } from '../../api/json.ts'
import { counted } from '../../api/plural.ts'
import { member, room, user } from '../../api/resources.ts'
import type { Client, ResponseBody } from '../../client/client.ts'
import { isFatal, toFailure } from '../../client/outcome.ts'
import { ApiError, IncompleteError, PartialError, UsageError } from '../../errors.ts'
import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { ListFlags } from '../kernel/flags.ts'
import { FullRecords } from '../lists/full-records.ts'
import { type LastSeen, readLastSeen } from '../lists/last-seen.ts'
import { listPages, openSelection } from '../lists/list.ts'
import { readTotal } from '../lists/paging/list-total.ts'
import { RoomsNotice } from '../lists/rooms-notice.ts'
import type { Selection } from '../lists/selection.ts'
import { WithoutSecrets } from '../output/redaction/redaction.ts'
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

/** Number of records, or of rooms whose first page is requested, ahead. */
const maxConcurrentReads = 4

const getUser = (client: Client, user_id: string) => client.call('getUser', { params: { user_id } })
const getRoom = (client: Client, id: string) => client.call('getRoom', { params: { id } })

const exportKinds = {
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
  name: keyof typeof exportKinds,
  ids: readonly string[],
  flags: ExportFlags,
): Promise<void> {
  const { resource, list, get } = exportKinds[name]
  // Some services omit null fields, so a later page may have further fields.
  const { unlisted = [] } = views[resource.name]
  const view: View = {
    ...views[resource.name],
    alwaysShown: [...unlisted, ...(flags.with ? [flags.with] : [])],
  }
  const { output } = await context.settings()
  const isFormatGiven = output.from === '--output'
  if (isFormatGiven && (output.value === 'table' || output.value === 'ids'))
    throw new UsageError(`an export is csv, tsv, ndjson or json, not ${output.value}`)
  const printer = await context.printer(
    output.value === 'table' || output.value === 'ids' ? 'csv' : output.value,
  )
  printer.check(view)
  if (list === 'listMembers' && (ids.length === 0) !== (flags.allRooms === true))
    throw new UsageError('name the rooms, or pass --all-rooms')
  const selection = await openSelection(context, list, flags)
  const full = selection?.full ?? new FullRecords(context, list)
  const all = { all: true, ...omitUndefined({ pageSize: flags.pageSize }) }
  const given = await readIds(ids, context.host)
  const unreadRooms = new UnreadRooms(context)
  const pages =
    list === 'listMembers'
      ? readMembersOfRooms(context, flags.allRooms ? allRoomIds(context, all) : given, all, {
          selection,
          full,
          withLastSeen: flags.with === 'last_seen',
          ...(flags.allRooms && { unreadRooms }),
        })
      : ids.length > 0
        ? selectFrom(readRecords(context, resource.name, given, get), selection)
        : completeRecords(await listPages(context, list, {}, all, { selection }), full)
  const selected = selection ? selection.withReport(pages) : pages
  const { columns, showTokens } = printer.options
  const withoutSecrets = new WithoutSecrets(selected)
  const isChosen = showTokens || columns !== undefined
  const count = await printer.list(view, resource.plural, isChosen ? selected : withoutSecrets.pages())
  const omission = withoutSecrets.hasRemovedSecrets
    ? ', without access tokens (--show-tokens includes them)'
    : ''
  await context.notice(`exported ${counted(count, ...view.noun)}${omission}`)
  if (output.value === 'tsv')
    await context.notice('an import does not undo the escapes of TSV; export CSV for an import')
  if (count > 0) await context.notice(`an import elsewhere does not restore ${describeUnrestored(name)}`)
  unreadRooms.throwIfAny()
}

const recordsPerPage = 100

async function* readRecords(
  context: Context,
  field: string,
  ids: readonly string[],
  get: (client: Client, id: string) => Promise<ResponseBody>,
): AsyncGenerator<Page, undefined> {
  const client = await context.client()
  const record = async (id: string) => (readResponseValue(await get(client, id)) as Item)[field] as Item
  let items: Item[] = []
  for await (const item of mapAhead(ids, maxConcurrentReads, record)) {
    items.push(item)
    if (items.length < recordsPerPage) continue
    yield { items }
    items = []
  }
  if (items.length > 0) yield { items }
}

function selectFrom(pages: AsyncGenerator<Page, undefined>, selection: Selection | undefined) {
  return selection ? selection.from(pages, '') : pages
}

async function* allRoomIds(context: Context, all: ListFlags): AsyncGenerator<string> {
  const notice = new RoomsNotice(context)
  for await (const { items, rest = {} } of await listPages(context, 'listRooms', {}, all, { ahead: 1 })) {
    await notice.expect(readTotal(rest) ?? 0)
    for (const { id } of items) yield String(id)
  }
}

interface MemberExportOptions {
  selection: Selection | undefined
  full: FullRecords
  withLastSeen: boolean
  /** Collects rooms that cannot be read; without it, the first one ends the export. */
  unreadRooms?: UnreadRooms
}

/** Rooms that an export skips because their members cannot be read. */
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

async function* readMembersOfRooms(
  context: Context,
  rooms: AsyncIterable<string> | Iterable<string>,
  all: ListFlags,
  { selection, full, withLastSeen, unreadRooms }: MemberExportOptions,
): AsyncGenerator<Page, undefined> {
  const firstPages = mapAhead(rooms, maxConcurrentReads, async (room_id) => {
    const input = { params: { room_id } }
    try {
      const memberPages = await listPages(context, 'listMembers', input, all, { ahead: 1, selection })
      const selected = completeRecords(memberPages, full, room_id)
      const pages = withLastSeen ? addLastSeen(context, selected, room_id) : selected
      return { room_id, pages, first: await pages.next() }
    } catch (error) {
      return { room_id, error }
    }
  })
  for await (const { room_id, pages, first, error } of firstPages)
    try {
      if (!pages) throw error
      if (first.done) continue
      yield keepUsers(first.value, room_id)
      for await (const page of pages) yield keepUsers(page, room_id)
    } catch (cause) {
      if (!unreadRooms) throw cause
      await unreadRooms.add(room_id, cause)
    }
}

async function* completeRecords(
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
