import { body } from '../../../api/body.ts'
import { omitUndefined } from '../../../api/defined.ts'
import { endpoints } from '../../../api/endpoints.ts'
import type { BodyOf } from '../../../api/operation.ts'
import type { Operations } from '../../../api/operations.ts'
import { member } from '../../../api/resources.ts'
import { textOf } from '../../../api/text-of.ts'
import type { Client } from '../../../client/client.ts'
import { blockedBody, isBlocked } from '../../lists/blocking.ts'
import { paginate } from '../../lists/paging/paginate.ts'
import { type Item, views } from '../../output/views/views.ts'
import { mapAhead } from '../../pool/map-ahead.ts'
import { type ImportAdapter, idIn, itemOf } from '../adapter/adapter.ts'
import { importColumns } from '../adapter/columns.ts'
import type { ImportFlags } from '../read/import-flags.ts'

export type MemberRow = { room_id: unknown } & BodyOf<Operations['addMember']> &
  BodyOf<Operations['updateMember']>

/** Maximum number of rooms with cached members; the rows of a room are mostly adjacent. */
const rememberedRooms = 16

const atOnce = 8

/** @param unblock unblocks members unless their rows block them */
export function createMembers({
  unblock = false,
}: Pick<ImportFlags, 'unblock'> = {}): ImportAdapter<MemberRow> {
  // Listing the members again for each row of a room would be expensive.
  const rooms = new Map<string, Promise<Map<string, Item>>>()
  const membersOf = (client: Client, room: string) => {
    const remembered = rooms.get(room)
    if (remembered) return remembered
    const asked = listMembers(client, room)
    rooms.set(room, asked)
    // Failures are not cached.
    asked.catch(() => rooms.delete(room))
    const [oldest] = rooms.size > rememberedRooms ? rooms.keys() : []
    if (oldest !== undefined) rooms.delete(oldest)
    return asked
  }
  const columns = importColumns(member, views.member, endpoints.addMember)
  // Without a visible block, any member may be blocked.
  const blockAsked = ({ is_blocked }: MemberRow, existing: Item) =>
    is_blocked ?? (unblock && isBlocked(existing) !== false ? false : undefined)
  const members: ImportAdapter<MemberRow> = {
    ...columns,
    readOnly: [...columns.readOnly, 'last_seen'],
    name: 'members',
    view: views.member,
    creates: 'addMember',
    keyName: 'room_id and user_id',
    // IDs cannot contain NUL.
    key: ({ room_id, user_id }) => `${room_id}\0${user_id}`,
    overrides: false,
    repeats: false,
    createsMissing: true,
    destructive: {
      verb: () => 'block',
      doing: () => 'blocking',
      asks: ({ is_blocked }) => is_blocked === true,
      isDone: (existing) => isBlocked(existing) === true,
    },
    access(row, existing) {
      const asked = blockAsked(row, existing)
      if (asked === undefined || asked === (isBlocked(existing) ?? false)) return undefined
      return asked ? 'block' : 'unblock'
    },
    staysBlocked: (row, existing) => isBlocked(existing) === true && blockAsked(row, existing) === undefined,
    usersOf: ({ user_id }) => [user_id],
    find: async (client, { room_id, user_id }) =>
      (await membersOf(client, String(room_id))).get(String(user_id)),
    created: ({ name: _, is_blocked: __, ...member }) => member,
    create: (client, { room_id, name: _, is_blocked: __, ...member }) =>
      idIn(client.call('addMember', { params: { room_id: String(room_id) }, body: member }), 'member'),
    async finish(client, { room_id, name, is_blocked }, member_id) {
      if (name === undefined && is_blocked !== true) return
      await client.call('updateMember', {
        params: { room_id: String(room_id), member_id },
        body: body<'updateMember'>({ name, is_blocked: is_blocked || undefined }),
      })
    },
    async overwrite(client, row, existing) {
      const { room_id, user_id: _, ...given } = row
      const settings = { ...given, ...omitUndefined(blockedBody(blockAsked(row, existing))) }
      const member_id = String(existing['id'])
      if (Object.keys(settings).length > 0)
        await client.call('updateMember', { params: { room_id: String(room_id), member_id }, body: settings })
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
    what: `members of room ${room_id}`,
    id: 'id',
    fetch: (query) => client.call('listMembers', { params: { room_id }, query }),
    seen: client.seen,
    notice: async () => {},
  })
  // Some services list members without their users.
  const inFull = async (member: Item) =>
    Object.hasOwn(member, 'user_id')
      ? member
      : itemOf(client.call('getMember', { params: { room_id, member_id: textOf(member['id']) } }), 'member')
  const members = new Map<string, Item>()
  // Anonymous participants have no user.
  for await (const { items } of pages)
    for await (const member of mapAhead(items, atOnce, inFull))
      if (member?.['user_id']) members.set(textOf(member['user_id']), member)
  return members
}
