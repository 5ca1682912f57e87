import { readAnswer, writeJson } from '../../api/json.ts'
import type { Client } from '../../client/client.ts'
import { UsageError } from '../../errors.ts'
import { maxLength } from '../bulk/read/lines.ts'
import type { Context } from '../kernel/context.ts'
import type { FullRecords } from '../lists/full-records.ts'
import { listPages } from '../lists/list.ts'
import { holdsSecret, withoutSecrets } from '../output/redaction/secrets.ts'
import type { Item } from '../output/views/views.ts'
import type { DeletionTargets } from '../requests/backup.ts'

/** A record as a line of a file. */
export interface BackupRecord {
  text: string
  /** Whether access tokens were left out. */
  hadTokens: boolean
}

/**
 * A room with its members, as `rooms import` reads it. Anonymous participants come and go, and cannot be invited.
 * @param full tells of the members what a list leaves out
 * @throws {NotFoundError} when there is no such room
 */
export async function roomRecord(
  context: Context,
  client: Client,
  id: string,
  full: FullRecords,
): Promise<BackupRecord> {
  const { room } = readAnswer(await client.call('getRoom', { params: { id } })) as { room: Item }
  const input = { params: { room_id: id }, query: {} }
  const members: Item[] = []
  for await (const { items } of await listPages(context, 'listMembers', input, { all: true }, { client }))
    for (const member of await full.of(items, id))
      if (member && member['user_id'] !== null) members.push(member)
  return lineOf(context, `room ${id}`, { ...room, members })
}

/**
 * A user with the rooms in which they are a member, as `users import` reads it.
 * @throws {NotFoundError} when there is no such user
 */
export async function userRecord(
  context: Context,
  client: Client,
  user_id: string,
  memberships: DeletionTargets['memberships'] = [],
): Promise<BackupRecord> {
  const { user } = readAnswer(await client.call('getUser', { params: { user_id } })) as { user: Item }
  const rooms = memberships.map(({ room, member }) => ({
    ...member,
    room_id: room['id'],
    room_name: room['name'],
  }))
  return lineOf(context, `user ${user_id}`, rooms.length > 0 ? { ...user, memberships: rooms } : user)
}

function lineOf(context: Context, what: string, record: Item): BackupRecord {
  // A service may quote the key, and this goes into a file.
  const text = context.redactKeys(writeJson(withoutSecrets(record)))
  if (text.length > maxLength)
    throw new UsageError(
      `${what} takes more than 16 MB, and import reads no longer line; nothing was changed`,
      {
        hint: '--no-save deletes without saving',
      },
    )
  return { text, hadTokens: holdsSecret(record) }
}

type Memberships = NonNullable<DeletionTargets['memberships']>

/** The memberships of each user. */
export function byUser(memberships: Memberships): ReadonlyMap<string, Memberships> {
  const groups = new Map<string, Memberships[number][]>()
  for (const membership of memberships) {
    const group = groups.get(membership.user_id)
    if (group) group.push(membership)
    else groups.set(membership.user_id, [membership])
  }
  return groups
}
