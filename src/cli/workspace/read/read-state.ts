import { toText } from '../../../api/to-text.ts'
import type { Client } from '../../../client/client.ts'
import { IncompleteError, type MeetroomError, PartialError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { PaceFlags } from '../../kernel/flags.ts'
import { FullRecords } from '../../lists/full-records.ts'
import { readList } from '../../lists/read-list.ts'
import { listMembersOf } from '../../lists/user-members.ts'
import type { Item } from '../../output/views/views.ts'
import { undefinedIfNotFound } from '../../records/look-up.ts'
import { findRecord, type Kind } from '../../records/records.ts'
import { nameService } from '../../requests/find-service.ts'
import { openRun } from '../../run/run.ts'
import type { DesiredRoom, WorkspaceDocument } from '../document/document.ts'
import type { WorkspaceIdentity } from '../lock/section.ts'
import { lacksDeclared } from '../plan/compare.ts'
import type { ReadList, ReadMembers, WorkspaceState } from '../plan/plan.ts'

interface MutableList extends ReadList {
  items: Map<string, Item>
}

export interface RoomList extends MutableList {
  /** Undefined without rooms, or if the service does not show the ID for the first room. */
  applicationId: string | undefined
}

export async function identifyWorkspace(
  context: Context,
  { applicationId, items }: Pick<RoomList, 'applicationId' | 'items'>,
): Promise<WorkspaceIdentity> {
  const settings = await context.settings()
  return {
    ...{ baseUrl: nameService(settings), applicationId },
    ...{ profile: settings.profile.value, hasRooms: items.size > 0 },
  }
}

/** Reader of a workspace. `problem` is the first error of an incomplete or unread list. */
export class WorkspaceReader {
  readonly #context: Context
  readonly #flags: PaceFlags
  readonly #fullRooms: FullRecords
  problem: MeetroomError | undefined

  constructor(context: Context, flags: PaceFlags) {
    this.#context = context
    this.#flags = flags
    this.#fullRooms = new FullRecords(context, 'listRooms')
  }

  /** @param all false to read at most one room, which identifies the workspace */
  async readRooms(all: boolean): Promise<RoomList> {
    const list = await this.#readList('listRooms', 'id', all ? { all } : { limit: 1 })
    if (list.items.size === 0 && this.problem) throw this.problem
    return { ...list, applicationId: await this.#readApplicationId([...list.items.values()][0]) }
  }

  async readUsers({ users }: WorkspaceDocument): Promise<ReadList | undefined> {
    if (!users) return undefined
    const list = await this.#readList('listUsers', 'user_id')
    const declared = new Map(users.map(({ user_id, fields }) => [user_id, fields]))
    if (!list.isComplete) await this.#findUnlisted('user', list, [...declared.keys()])
    await this.#complete('user', list, declared, new FullRecords(this.#context, 'listUsers'))
    return list
  }

  async readDeclared(
    { rooms }: WorkspaceDocument,
    list: RoomList,
    idOf: (key: string) => string | undefined,
  ): Promise<Pick<WorkspaceState, 'rooms' | 'members'>> {
    if (!rooms) return { rooms: undefined, members: new Map() }
    const declared = new Map<string, DesiredRoom>()
    for (const room of rooms) {
      const id = idOf(room.key)
      if (id !== undefined) declared.set(id, room)
    }
    await this.#findUnlisted('room', list, [...declared.keys()])
    const fields = new Map([...declared].map(([id, room]) => [id, room.fields]))
    await this.#complete('room', list, fields, this.#fullRooms)
    const ids = [...declared.keys()].filter((id) => list.items.has(id) && declared.get(id)?.members)
    return { rooms: list, members: await this.#readMembers(ids, declared) }
  }

  async #readList(
    name: 'listRooms' | 'listUsers',
    idField: string,
    range: { all: boolean } | { limit: number } = { all: true },
  ): Promise<MutableList> {
    const items = new Map<string, Item>()
    try {
      for await (const page of readList(this.#context, name, {}, range))
        for (const item of page.items) items.set(toText(item[idField]), item)
      return { items, isComplete: true }
    } catch (error) {
      if (!(error instanceof IncompleteError)) throw error
      this.problem ??= error
      return { items, isComplete: false }
    }
  }

  async #readApplicationId(room: Item | undefined): Promise<string | undefined> {
    if (!room) return undefined
    const shown = toText(room['application_id'])
    if (shown !== '') return shown
    const client = await this.#context.client()
    const record = await findRecord(client, { kind: 'room', id: toText(room['id']) })
    return toText(record?.['application_id']) || undefined
  }

  /** Adds existing items that the list omits. */
  async #findUnlisted(kind: 'room' | 'user', { items }: MutableList, ids: readonly string[]): Promise<void> {
    const client = await this.#context.client()
    for (const id of ids) {
      if (items.has(id)) continue
      const item = await findRecord(client, { kind, id })
      if (item) items.set(id, item)
    }
  }

  async #complete(
    kind: Kind,
    { items }: MutableList,
    declared: ReadonlyMap<string, Item>,
    full: FullRecords,
  ): Promise<void> {
    const present = [...declared].flatMap(([id, fields]) => {
      const item = items.get(id)
      return item ? [{ id, fields, item }] : []
    })
    const records = await full.complete(
      present.map(({ item }) => item),
      (item, i) => lacksDeclared(kind, present[i]?.fields ?? {}, item),
      '',
    )
    for (const [i, { id }] of present.entries()) {
      const record = records[i]
      if (record) items.set(id, record)
      else items.delete(id)
    }
  }

  async #readMembers(
    ids: readonly string[],
    declared: ReadonlyMap<string, DesiredRoom>,
  ): Promise<Map<string, ReadMembers>> {
    const read = new Map<string, ReadMembers>()
    if (ids.length === 0) return read
    const { concurrency, rate } = this.#flags
    const run = await openRun(this.#context, { concurrency, rate }, { total: ids.length })
    const full = new FullRecords(this.#context, 'listMembers', run.client)
    const readRoom = async (id: string) =>
      ({ status: 'ok', value: await this.#readRoom(id, declared.get(id), run.client, full) }) as const
    for await (const [id, outcome] of run.each(ids, readRoom)) {
      if (outcome.status === 'ok') read.set(id, outcome.value)
      else if (run.fatal) throw run.fatal
      else {
        this.#context.interrupt.throwIfAborted()
        if ('error' in outcome) await this.#reportUnread(id, outcome.error)
        read.set(id, { items: [], isComplete: false })
      }
    }
    this.#context.interrupt.throwIfAborted()
    return read
  }

  async #reportUnread(id: string, error: MeetroomError): Promise<void> {
    this.problem ??= new PartialError('the members of some rooms could not be read')
    await this.#context.reportError(new PartialError(`room ${id}: ${error.message}`, { cause: error }))
  }

  async #readRoom(
    id: string,
    room: DesiredRoom | undefined,
    client: Client,
    full: FullRecords,
  ): Promise<ReadMembers> {
    const items: Item[] = []
    let isComplete = true
    const reading = (async () => {
      for await (const member of listMembersOf(this.#context, id, { client, full })) items.push(member)
      return true
    })()
    try {
      // The members of a room that is deleted meanwhile count as incomplete.
      isComplete = (await undefinedIfNotFound(reading)) ?? false
    } catch (error) {
      if (!(error instanceof IncompleteError)) throw error
      this.problem ??= error
      isComplete = false
    }
    const declared = new Map(room?.members?.map(({ user_id, fields }) => [user_id, fields]))
    const isPartial = (member: Item) =>
      lacksDeclared('member', declared.get(toText(member['user_id'])) ?? {}, member)
    const records = await full.complete(items, isPartial, id)
    return { items: records.filter((record) => record !== undefined), isComplete }
  }
}
