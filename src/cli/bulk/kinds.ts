import type { Client } from '../../api/client.ts'
import { readAnswer } from '../../api/json.ts'
import { segmentProblem } from '../../api/path.ts'
import { deprecated } from '../../api/vocabulary.ts'
import { ApiError, NotFoundError, UsageError } from '../../errors.ts'
import { encodeUrl } from '../input.ts'
import { type Item, type View, views } from '../output/views.ts'
import { paginate } from '../paginate.ts'

/** How the text of a cell becomes the value of a field. */
type Column = (text: string) => unknown

/** What to send for one row, checked. */
export type Body = Readonly<Record<string, unknown>>

/** What can be imported, and how. */
export interface Kind {
  name: 'users' | 'rooms' | 'members'
  view: View
  /** The operation that makes one; its schema checks the rows. */
  creates: 'createUser' | 'createRoom' | 'addMember'
  /** Fields that a row may have. */
  columns: Readonly<Record<string, Column>>
  required: readonly string[]
  /** Fields that an export has and an import leaves out: the service makes them. */
  readOnly: readonly string[]
  /** What tells rows apart, and people which one is meant; undefined when nothing does. */
  key(body: Body): string | undefined
  /** The fields that the key is made of. */
  keyName: string
  /** Whether creating what is there already overrides it without more ado. */
  overrides: boolean
  /** What the service has under the key of a row. */
  find(client: Client, body: Body): Promise<Item | undefined>
  /** Makes it; answers with its id. */
  create(client: Client, body: Body): Promise<string>
  /** What is left to do once it is made; may be done twice. */
  finish?(client: Client, body: Body, id: string): Promise<void>
  /** Gives what is there the values of the row; answers with its id. */
  overwrite(client: Client, body: Body, existing: Item): Promise<string>
  /**
   * What became of a row that was sent and never answered: what is there under its key, `absent` when certainly
   * nothing is, undefined when that cannot be told.
   */
  trace(client: Client, body: Body): Promise<Item | 'absent' | undefined>
}

const text: Column = (cell) => cell
const url = (field: string): Column => encodeUrl(field)

const flag: Column = (cell) => {
  const value = ({ true: true, false: false } as Record<string, boolean>)[cell.toLowerCase()]
  if (value === undefined) throw new UsageError('expected true or false')
  return value
}

const whole: Column = (cell) => {
  if (!/^\d{1,15}$/.test(cell)) throw new UsageError('expected a whole number')
  return Number(cell)
}

/** Whether something has all the values that a row gives, as far as the service tells them. */
export function holds(existing: Item, body: Body): boolean {
  return Object.entries(body).every(
    ([field, value]) => !Object.hasOwn(existing, field) || existing[field] === value,
  )
}

async function orAbsent(answer: Promise<{ text: string; value: unknown }>, field: string) {
  try {
    return (readAnswer(await answer) as Item)[field] as Item
  } catch (error) {
    if (error instanceof NotFoundError) return undefined
    throw error
  }
}

const idOf = (item: Item, field = 'id') => String(item[field] ?? '')

const users: Kind = {
  name: 'users',
  view: views.user,
  creates: 'createUser',
  columns: {
    user_id: text,
    name: text,
    profile_url: url('profile_url'),
    default_member_type: text,
    email: text,
  },
  required: ['user_id'],
  readOnly: ['access_token', 'created_at', 'updated_at', 'id'],
  key: (body) => String(body['user_id']),
  keyName: 'user_id',
  // Rule 3 of section 4.
  overrides: true,
  find: (client, body) =>
    orAbsent(client.call('getUser', { params: { user_id: String(body['user_id']) } }), 'user'),
  async create(client, body) {
    const { value } = await client.call('createUser', { body: body as { user_id: string } })
    return value.user.user_id
  },
  overwrite: (client, body) => users.create(client, body),
  trace: async (client, body) => (await users.find(client, body)) ?? 'absent',
}

const rooms: Kind = {
  name: 'rooms',
  view: views.room,
  creates: 'createRoom',
  columns: {
    id: text,
    name: text,
    type: text,
    record: flag,
    max_meeting_seconds: whole,
    layout: text,
    is_terminated: flag,
    terminated_at: text,
    members: JSON.parse,
    webhook: JSON.parse,
  },
  required: ['name', 'type'],
  readOnly: [
    'application_id',
    'thumbnail_url',
    'meeting_time',
    'started_at',
    'updated_at',
    'created_at',
    'created_user_id',
    'last_thumbnail_updated_at',
    'room_template_id',
    'is_ephemeral',
    'is_recurring',
    'status',
  ],
  keyName: 'id',
  key: (body) => (body['id'] === undefined ? undefined : String(body['id'])),
  overrides: false,
  find: async (client, body) =>
    body['id'] === undefined
      ? undefined
      : orAbsent(client.call('getRoom', { params: { id: String(body['id']) } }), 'room'),
  async create(client, body) {
    const { id: _, is_terminated, terminated_at, ...settings } = body
    const { value } = await client.call('createRoom', { body: settings as never })
    return value.room.id
  },
  async finish(client, { is_terminated, terminated_at }, id) {
    if (is_terminated ?? terminated_at)
      await client.call('updateRoom', { params: { id }, body: { is_terminated: true } })
  },
  async overwrite(client, body, existing) {
    const id = idOf(existing)
    const fixed = ['type', 'record', 'max_meeting_seconds'].find(
      (field) => body[field] !== undefined && !holds(existing, { [field]: body[field] }),
    )
    if (fixed) throw new ApiError(`its ${fixed} is ${existing[fixed]}, and cannot be changed`)
    const { name, layout, is_terminated, terminated_at } = body
    const terminated = is_terminated ?? (terminated_at === undefined ? undefined : true)
    await client.call('updateRoom', {
      params: { id },
      body: {
        name,
        ...(layout === undefined ? {} : { layout }),
        ...(terminated === undefined ? {} : { is_terminated: terminated }),
      } as never,
    })
    return id
  },
  // The service gives rooms their ids: of one that was lost on the way there is nothing but its name.
  async trace(client, body) {
    const { value } = await client.call('listRooms', { query: { name: String(body['name']) } })
    return value.rooms.length === 0 ? 'absent' : undefined
  },
}

/** Of how many rooms the members are remembered: the rows of a room mostly stand together. */
const rememberedRooms = 16

function createMembers(): Kind {
  // Asking for all members of a room again for each of its rows would cost more than all the rest.
  const rooms = new Map<string, Promise<Map<string, Item>>>()
  const membersOf = (client: Client, room: string) => {
    const known = rooms.get(room) ?? listMembers(client, room)
    rooms.delete(room)
    rooms.set(room, known)
    // A failure is not remembered: it may be asked again.
    known.catch(() => rooms.delete(room))
    const oldest = rooms.size > rememberedRooms ? rooms.keys().next().value : undefined
    if (oldest !== undefined) rooms.delete(oldest)
    return known
  }
  const members: Kind = {
    name: 'members',
    view: views.member,
    creates: 'addMember',
    columns: { room_id: text, user_id: text, type: text, name: text, is_blocked: flag },
    required: ['room_id', 'user_id'],
    readOnly: ['id', 'created_at', 'updated_at', 'status'],
    keyName: 'room_id and user_id',
    // No id holds a NUL.
    key: (body) => `${body['room_id']}\0${body['user_id']}`,
    overrides: false,
    find: async (client, body) =>
      (await membersOf(client, String(body['room_id']))).get(String(body['user_id'])),
    async create(client, body) {
      const { room_id, name, is_blocked, ...member } = body
      const params = { room_id: String(room_id) }
      const { value } = await client.call('addMember', { params, body: member as { user_id: string } })
      if (name !== undefined || is_blocked === true)
        await client.call('updateMember', {
          params: { ...params, member_id: value.member.id },
          body: { ...(name === undefined ? {} : { name }), ...(is_blocked ? { is_blocked } : {}) } as never,
        })
      return value.member.id
    },
    async overwrite(client, body, existing) {
      const { room_id, user_id: _, ...settings } = body
      const member_id = idOf(existing)
      if (Object.keys(settings).length > 0)
        await client.call('updateMember', {
          params: { room_id: String(room_id), member_id },
          body: settings as never,
        })
      return member_id
    },
    trace: async (client, body) => (await members.find(client, body)) ?? 'absent',
  }
  return members
}

async function listMembers(client: Client, room_id: string): Promise<Map<string, Item>> {
  const pages = paginate({
    request: { all: true, pageSize: 1000 },
    key: 'members',
    id: 'id',
    fetch: (query) => client.call('listMembers', { params: { room_id }, query: query as never }),
    notice: async () => {},
  })
  const members = new Map<string, Item>()
  // Anonymous participants have no user.
  for await (const { items } of pages)
    for (const member of items)
      if (typeof member['user_id'] === 'string') members.set(member['user_id'], member)
  return members
}

/** Each import has a kind of its own, which may remember what it has looked up. */
export const kinds = { users: () => users, rooms: () => rooms, members: createMembers } as const

/** A row as it will be sent, or why it cannot be. */
export type Reading = { body: Body } | { problem: string }

/**
 * How the rows of an input are read: cells become values, empty ones go, fields that the service makes are left out.
 * @param renames from the input’s names to the API’s; an empty name leaves a column out
 * @param defaults values for what a row does not say
 * @param roomIds the ids of rooms by those that they had elsewhere
 * @throws {UsageError} for a column that the kind does not have
 */
export async function createReader(
  kind: Kind,
  renames: ReadonlyMap<string, string>,
  defaults: Body,
  roomIds?: ReadonlyMap<string, string>,
): Promise<{ checkColumns(columns: readonly string[]): void; read(fields: Item): Reading }> {
  const { operations } = await import('../../api/operations.ts')
  const { describeIssue } = await import('../../api/issue.ts')
  const schema = operations[kind.creates].body
  const ignored = new Set(['', 'reason', ...kind.readOnly])
  // Who names a target says that the service has such a field, whatever its document lists.
  const named = new Set(renames.values())
  const knows = (field: string) =>
    Object.hasOwn(kind.columns, field) || ignored.has(field) || named.has(field)
  const targetOf = (column: string) => renames.get(column) ?? column

  const unknown = (field: string) =>
    `no ${kind.view.noun[0]} has a field “${field}” (fields are ${Object.keys(kind.columns).join(', ')})`

  function checkColumns(columns: readonly string[]): void {
    const targets = columns.map(targetOf)
    for (const [i, target] of targets.entries()) {
      if (!knows(target))
        throw new UsageError(unknown(target), {
          hint: `map it: --map '${columns[i]}=FIELD', or leave it out: --map '${columns[i]}='`,
        })
      if (target !== '' && !ignored.has(target) && targets.indexOf(target) !== i)
        throw new UsageError(`two columns are ${target}`)
    }
    const missing = kind.required.filter((field) => !targets.includes(field) && defaults[field] === undefined)
    if (missing.length > 0)
      throw new UsageError(`there is no column ${missing.join(', and none ')}`, {
        hint: `columns are ${columns.join(', ')}; map one: --map 'COLUMN=${missing[0]}'`,
      })
  }

  function read(fields: Item): Reading {
    const body: Record<string, unknown> = { ...defaults }
    for (const [column, value] of Object.entries(fields)) {
      const field = targetOf(column)
      if (value === '' || value === null || value === deprecated || ignored.has(field)) continue
      if (!knows(field)) return { problem: unknown(field) }
      try {
        const convert = Object.hasOwn(kind.columns, field) ? kind.columns[field] : undefined
        body[field] = convert && typeof value === 'string' ? convert(value) : value
      } catch (error) {
        return { problem: `${field}: ${error instanceof UsageError ? error.message : 'not JSON'}` }
      }
    }
    const room = body['room_id']
    if (roomIds && typeof room === 'string') {
      if (!roomIds.has(room)) return { problem: `room_id: ${room} is not among the --room-ids` }
      body['room_id'] = roomIds.get(room)
    }
    const missing = kind.required.find((field) => body[field] === undefined)
    if (missing) return { problem: `${missing} is missing` }
    const checked = schema.safeParse(body)
    if (!checked.success) return { problem: describeIssue(checked.error.issues[0]) }
    for (const field of ['user_id', 'room_id', 'id'] as const)
      if (body[field] !== undefined) {
        const problem = segmentProblem(field, String(body[field]))
        if (problem) return { problem }
      }
    return { body }
  }
  return { checkColumns, read }
}
