import { textOf } from '../../api/text-of.ts'
import type { Client } from '../../client/client.ts'
import { ConflictError, NotFoundError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { FullRecords } from './full-records.ts'
import { listPages } from './list.ts'

/** Members of a room that belong to given users. A user may be several members, or none. */
interface UserMembers {
  ids: string[]
  absent: string[]
}

/** Finds the first member of a room that belongs to a user; undefined if none. */
export async function findMember(
  context: Context,
  room_id: string,
  user_id: string,
): Promise<string | undefined> {
  if (context.flags.curl) return undefined
  for await (const member of membersOf(context, room_id))
    if (textOf(member['user_id']) === user_id) return String(member['id'])
  return undefined
}

/** Finds all members of a room that belong to given users, in the order of the users, with one list. */
export async function findMembers(
  context: Context,
  room_id: string,
  users: readonly string[],
): Promise<UserMembers> {
  if (context.flags.curl)
    throw new UsageError('--curl sends nothing, so which members the users are is unknown', {
      hint: 'give the ids of the members',
    })
  const found = new Map(users.map((user): [string, string[]] => [user, []]))
  for await (const { user_id, id } of membersOf(context, room_id))
    found.get(textOf(user_id))?.push(String(id))
  return {
    ids: [...found.values()].flat(),
    absent: [...found].filter(([, ids]) => ids.length === 0).map(([user]) => user),
  }
}

/**
 * Resolves a member argument: a member ID or `--user`.
 * @throws {NotFoundError} when the user is not a member of the room
 * @throws {ConflictError} when the user is several members
 */
export async function readMember(
  context: Context,
  room_id: string,
  given: string | undefined,
  users: readonly string[] = [],
): Promise<string> {
  if (given !== undefined && users.length > 0) throw new UsageError('give a member id or --user, not both')
  if (given !== undefined) return given
  const [user, ...others] = users
  if (user === undefined)
    throw new UsageError('missing required argument “member”', { hint: 'give a member id, or --user' })
  if (others.length > 0) throw new UsageError('--user names one user here')
  const { ids, absent } = await findMembers(context, room_id, [user])
  const [id, ...more] = ids
  if (id === undefined) throw noMembers(room_id, absent)
  if (more.length > 0)
    throw new ConflictError(`user ${user} is ${ids.length} members of room ${room_id}: ${ids.join(', ')}`, {
      hint: 'give the id of the one that you mean',
    })
  return id
}

export function noMembers(room_id: string, users: readonly string[]): NotFoundError {
  const label = users.length === 1 ? 'member: user' : 'members: users'
  const are = users.length === 1 ? 'is' : 'are'
  return new NotFoundError(`no such ${label} ${users.join(', ')} ${are} not in room ${room_id}`, {
    hint: ['list what exists with: ', suggest(['members', 'list'], room_id)],
  })
}

/**
 * Lists the members of a room with their users.
 * @param full completes members without a user; shared across rooms
 * @param client sends the requests; by default the client of the command
 */
export async function* membersOf(
  context: Context,
  room_id: string,
  full = new FullRecords(context, 'listMembers'),
  client?: Client,
): AsyncGenerator<Item> {
  const input = { params: { room_id }, query: {} }
  const pages = await listPages(context, 'listMembers', input, { all: true }, { client })
  for await (const { items } of pages) {
    yield* items.filter(namesUser)
    const incomplete = items.filter((member) => !namesUser(member))
    for (const record of await full.of(incomplete, room_id)) if (record) yield record
  }
}

const namesUser = (member: Item) => Object.hasOwn(member, 'user_id')
