import { createFlagConflict } from '../../api/flag-conflict.ts'
import { plural } from '../../api/plural.ts'
import { toText } from '../../api/to-text.ts'
import type { Client } from '../../client/client.ts'
import { ApiError, NotFoundError, suggest, UsageError } from '../../errors.ts'
import type { Context } from '../kernel/context.ts'
import type { Item } from '../output/views/views.ts'
import { selectMembership } from '../records/membership-plan.ts'
import { FullRecords } from './full-records.ts'
import { type ListContext, readList } from './read-list.ts'

/** Members of a room that belong to given users. A user may have several memberships. */
interface UserMembers {
  ids: string[]
  absent: string[]
}

export async function findMember(
  context: Context,
  room_id: string,
  user_id: string,
): Promise<Item | undefined> {
  if (context.flags.curl) return undefined
  const members: Item[] = []
  for await (const member of listMembersOf(context, room_id))
    if (toText(member['user_id']) === user_id) members.push(member)
  return selectMembership(members)
}

/**
 * Finds the members of a room that belong to users, in the order of the users.
 * @throws {UsageError} with `--curl`
 */
export async function findMembers(
  context: Context,
  room_id: string,
  users: readonly string[],
): Promise<UserMembers> {
  context.refuseCurl('the members of the users', 'pass the IDs of the members')
  const found = new Map(users.map((user): [string, string[]] => [user, []]))
  for await (const { user_id, id } of listMembersOf(context, room_id))
    found.get(toText(user_id))?.push(String(id))
  return {
    ids: [...found.values()].flat(),
    absent: [...found].filter(([, ids]) => ids.length === 0).map(([user]) => user),
  }
}

/**
 * Returns the ID of a member, given by ID or with `--user`.
 * @throws {NotFoundError} if the user is not a member of the room
 * @throws {UsageError} for invalid arguments, or several memberships of the user
 */
export async function readMember(
  context: Context,
  room_id: string,
  given: string | undefined,
  users: readonly string[] = [],
): Promise<string> {
  if (given !== undefined && users.length > 0) throw createFlagConflict('a member ID', '--user')
  if (given !== undefined) return given
  const [user, ...others] = users
  if (user === undefined)
    throw new UsageError('the argument “member” is missing', {
      hint: [
        'pass the room, then a member ID or --user; find members with: ',
        suggest(['members', 'list', '--all-rooms', '--columns', 'room_id,member_id,room_name,name']),
      ],
    })
  if (others.length > 0) throw new UsageError(`--user takes one user, not ${users.length}`)
  const { ids, absent } = await findMembers(context, room_id, [user])
  const [id, ...more] = ids
  if (id === undefined) return throwNoMembers(context, absent, room_id)
  if (more.length > 0)
    throw new UsageError(`user “${user}” has ${ids.length} members in room ${room_id}: ${ids.join(', ')}`, {
      hint: 'pass one of these member IDs instead of --user',
    })
  return id
}

/**
 * Reports a nonexistent user before users who are not members.
 * @throws {NotFoundError} always, or the error of a failed request
 */
export async function throwNoMembers(
  context: Context,
  users: readonly string[],
  room_id?: string,
): Promise<never> {
  const client = await context.client()
  for (const user_id of users) await client.call('getUser', { params: { user_id } })
  const { length } = users
  const label = plural(length, 'member: user', 'members: users')
  const where = room_id === undefined ? 'not in any room' : `not in room ${room_id}`
  throw new NotFoundError(
    `no such ${label} ${users.join(', ')} ${plural(length, 'is', 'are')} ${where}`,
    room_id === undefined
      ? {}
      : {
          hint: [
            'list the members with: ',
            suggest(['members', 'list'], room_id),
            '; add a member with: ',
            suggest(['members', 'add'], room_id, users[0] ?? ''),
          ],
        },
  )
}

interface MemberSources {
  client?: Client
  /** Reader of full records for members listed without `user_id`. False to keep members incomplete. */
  full?: FullRecords | false
}

/**
 * Lists the members of a room. Members without `user_id` may move to the end of a page.
 * @throws {ApiError} if a full record has no `user_id`
 */
export async function* listMembersOf(
  context: ListContext,
  room_id: string,
  { client, full = new FullRecords(context, 'listMembers', client) }: MemberSources = {},
): AsyncGenerator<Item> {
  for await (const { items } of readList(
    context,
    'listMembers',
    { params: { room_id } },
    { all: true, client },
  )) {
    const incomplete = full ? items.filter((member) => !showsUser(member)) : []
    yield* incomplete.length > 0 ? items.filter(showsUser) : items
    if (full)
      for (const record of await full.of(incomplete, room_id)) if (record) yield requireShownUser(record)
  }
}

const showsUser = (member: Item) => Object.hasOwn(member, 'user_id')

/** @throws {ApiError} if the user is unknown, because the member may belong to any user */
function requireShownUser(member: Item): Item {
  if (showsUser(member)) return member
  throw new ApiError(`the service does not show the user of member ${toText(member['id'])}`)
}
