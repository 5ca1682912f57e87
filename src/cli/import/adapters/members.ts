import { omitUndefined } from '../../../api/defined.ts'
import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation-types.ts'
import type { Operations } from '../../../api/operations.ts'
import { member } from '../../../api/resources.ts'
import { toText } from '../../../api/to-text.ts'
import type { Client } from '../../../client/client.ts'
import { withoutNotices } from '../../lists/read-list.ts'
import { listMembersOf } from '../../lists/user-members.ts'
import { type Item, views } from '../../output/views/views.ts'
import { isBlocked } from '../../records/blocking.ts'
import { selectMembership, withDefaultUnblock } from '../../records/membership-plan.ts'
import { createRecord, updateRecord } from '../../records/records.ts'
import { deriveColumns, type ImportAdapter } from '../adapter/adapter.ts'
import type { ImportFlags } from '../read/import-flags.ts'

export type MemberRow = { room_id: unknown } & BodyOf<Operations['addMember']> &
  BodyOf<Operations['updateMember']>

/** Maximum number of rooms whose members are cached. The rows of a room are usually adjacent. */
const maxCachedRooms = 16

/** @param unblock true to unblock members whose rows do not set `is_blocked` */
export function createMembers({ unblock }: Pick<ImportFlags, 'unblock'> = {}): ImportAdapter<MemberRow> {
  // Members by user ID, cached by room ID to avoid one list request per row.
  const rooms = new Map<string, Promise<Map<string, Item[]>>>()
  const readMembers = (client: Client, room: string) => {
    const cached = rooms.get(room)
    if (cached) return cached
    const listing = listMembers(client, room)
    rooms.set(room, listing)
    // Removes a failed list, so that later rows retry the request.
    listing.catch(() => rooms.delete(room))
    const [oldest] = rooms.size > maxCachedRooms ? rooms.keys() : []
    if (oldest !== undefined) rooms.delete(oldest)
    return listing
  }
  const columns = deriveColumns(member, views.member, endpoints.addMember)
  const desiredValues = ({ room_id: _, user_id: __, ...values }: MemberRow, existing: Item) =>
    unblock ? withDefaultUnblock(values, existing) : values
  const members: ImportAdapter<MemberRow> = {
    ...columns,
    readOnly: [...columns.readOnly, 'last_seen', 'room_name'],
    name: 'members',
    view: views.member,
    createOperation: 'addMember',
    defaultFlags: { room_id: '--room ROOM' },
    keyName: 'room_id and user_id',
    // IDs cannot contain NUL.
    keyOf: ({ room_id, user_id }) => `${room_id}\0${user_id}`,
    createOverwrites: false,
    createDuplicates: false,
    canCreateMissing: true,
    destructive: {
      verb: () => 'block',
      gerund: () => 'blocking',
      isRequested: ({ is_blocked }) => is_blocked === true,
      isDone: (existing) => isBlocked(existing) === true,
    },
    accessChange(row, existing) {
      const { is_blocked: requested } = desiredValues(row, existing)
      if (requested === undefined || requested === (isBlocked(existing) ?? false)) return undefined
      return requested ? 'block' : 'unblock'
    },
    countBlocked: (_, row, existing) =>
      isBlocked(existing) === true && desiredValues(row, existing).is_blocked === undefined ? 1 : 0,
    listReferencedUsers: ({ user_id }) => [user_id],
    find: async (client, { room_id, user_id }) =>
      selectMembership((await readMembers(client, String(room_id))).get(String(user_id)) ?? []),
    createdFields: ({ name: _, is_blocked: __, ...member }) => member,
    create: (client, { room_id, name: _, is_blocked: __, ...member }) =>
      createRecord(client, 'member', member, room_id).then(({ id }) => toText(id)),
    completeCreated: (client, { room_id, name, is_blocked }, id) =>
      updateRecord(
        client,
        { kind: 'member', id, room_id: String(room_id) },
        omitUndefined({ name, is_blocked: is_blocked || undefined }),
      ),
    async overwrite(client, row, existing) {
      const id = String(existing['id'])
      const ref = { kind: 'member', id, room_id: String(row.room_id) } as const
      await updateRecord(client, ref, desiredValues(row, existing))
      return id
    },
    findLostItem: async (client, body) => (await members.find(client, body)) ?? 'absent',
  }
  return members
}

/** Omits anonymous participants, who have no user ID. */
async function listMembers(client: Client, room_id: string): Promise<Map<string, Item[]>> {
  const members = new Map<string, Item[]>()
  for await (const member of listMembersOf(withoutNotices(client), room_id)) {
    const user_id = toText(member['user_id'])
    if (user_id !== '') members.set(user_id, [...(members.get(user_id) ?? []), member])
  }
  return members
}
