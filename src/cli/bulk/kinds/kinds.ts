import type { Answer, Client } from '../../../api/client.ts'
import { readAnswer } from '../../../api/json.ts'
import { ApiError, UsageError } from '../../../errors.ts'
import { encodeUrl } from '../../input.ts'
import { orUndefined } from '../../operations/one.ts'
import { paginate } from '../../operations/paginate.ts'
import { type Item, type View, views } from '../../output/views.ts'

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
  /** What creating sets; all of the row where that is left out. */
  created?(body: Body): Body
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

/** What an operation gives under a field; undefined when there is no such thing. */
async function itemOf(asked: Promise<Answer>, field: string): Promise<Item | undefined> {
  const answer = await orUndefined(asked)
  return answer && ((readAnswer(answer) as Item)[field] as Item)
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
    itemOf(client.call('getUser', { params: { user_id: String(body['user_id']) } }), 'user'),
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
      : itemOf(client.call('getRoom', { params: { id: String(body['id']) } }), 'room'),
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
    const remembered = rooms.get(room)
    if (remembered) return remembered
    const asked = listMembers(client, room)
    rooms.set(room, asked)
    // A failure is not remembered: it may be asked again.
    asked.catch(() => rooms.delete(room))
    const [oldest] = rooms.size > rememberedRooms ? rooms.keys() : []
    if (oldest !== undefined) rooms.delete(oldest)
    return asked
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
    created: ({ name: _, is_blocked: __, ...member }) => member,
    async create(client, { room_id, name: _, is_blocked: __, ...member }) {
      const { value } = await client.call('addMember', {
        params: { room_id: String(room_id) },
        body: member as { user_id: string },
      })
      return value.member.id
    },
    async finish(client, { room_id, name, is_blocked }, member_id) {
      if (name === undefined && is_blocked !== true) return
      await client.call('updateMember', {
        params: { room_id: String(room_id), member_id },
        body: { ...(name === undefined ? {} : { name }), ...(is_blocked ? { is_blocked } : {}) } as never,
      })
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
    request: { all: true },
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
