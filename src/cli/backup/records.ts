import { writeJson } from '../../api/json.ts'
import type { Client } from '../../client/client.ts'
import { UsageError } from '../../errors.ts'
import { maxLength } from '../bulk/read/lines.ts'
import { originField } from '../bulk/read/saved-origin.ts'
import type { Context } from '../kernel/context.ts'
import type { FullRecords } from '../lists/full-records.ts'
import { readList } from '../lists/read-list.ts'
import { holdsSecret, removeSecrets } from '../output/redaction/redaction.ts'
import type { Item } from '../output/views/views.ts'
import { readRecord } from '../records/records.ts'
import type { DeletionTargets } from '../requests/backup.ts'
import { describeTarget } from '../requests/find-service.ts'

export interface BackupRecord {
  text: string
  hadTokens: boolean
}

/**
 * Reads a room with its members, in the format of `rooms import`. Anonymous participants are omitted, because they
 * cannot be invited.
 * @param full completes list items with the fields that lists omit
 * @throws {NotFoundError} when the room does not exist
 */
export async function createRoomRecord(
  context: Context,
  client: Client,
  id: string,
  full: FullRecords,
): Promise<BackupRecord> {
  const room = await readRecord(client, { kind: 'room', id })
  const input = { params: { room_id: id } }
  const members: Item[] = []
  for await (const { items } of readList(context, 'listMembers', input, { all: true, client, full }))
    for (const member of items) if (member['user_id'] !== null) members.push(member)
  return toRecord(context, `room ${id}`, { ...room, members })
}

/** @throws {NotFoundError} when the user does not exist */
export async function createUserRecord(
  context: Context,
  client: Client,
  user_id: string,
  memberships: DeletionTargets['memberships'] = [],
): Promise<BackupRecord> {
  const user = await readRecord(client, { kind: 'user', id: user_id })
  const rooms = memberships.map(({ room, member }) => ({
    ...member,
    room_id: room['id'],
    room_name: room['name'],
  }))
  return toRecord(context, `user ${user_id}`, rooms.length > 0 ? { ...user, memberships: rooms } : user)
}

async function toRecord(context: Context, label: string, record: Item): Promise<BackupRecord> {
  const origin = await describeTarget(context)
  // A response may contain the API key, which must not be written to the file.
  const text = context.redactKeys(writeJson({ ...removeSecrets(record), [originField]: origin }))
  if (text.length > maxLength)
    throw new UsageError(
      `${label} takes more than 16 MB, and import reads no longer line; nothing was changed`,
      {
        hint: '--no-save deletes without saving',
      },
    )
  return { text, hadTokens: holdsSecret(record) }
}

type Memberships = NonNullable<DeletionTargets['memberships']>

export function groupByUser(memberships: Memberships): ReadonlyMap<string, Memberships> {
  const groups = new Map<string, Memberships[number][]>()
  for (const membership of memberships) {
    const group = groups.get(membership.user_id)
    if (group) group.push(membership)
    else groups.set(membership.user_id, [membership])
  }
  return groups
}
