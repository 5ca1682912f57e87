import { readIds } from '../input/input.ts'
import type { Context } from '../kernel/context.ts'
import type { PaceFlags } from '../kernel/flags.ts'
import type { Page } from '../output/views/page.ts'
import type { Item, View } from '../output/views/views.ts'
import { blockField } from './blocking.ts'
import { type Membership, MembershipSearch } from './memberships.ts'
import { together } from './print-all.ts'

/** How a membership is shown; as ids, the rooms. */
export const membershipView: View = {
  noun: ['membership', 'memberships'],
  id: 'room_id',
  columns: [
    { field: 'user_id', weight: 9 },
    { field: 'room_id', weight: 8 },
    { field: 'room_name', weight: 7 },
    { field: 'room_type', weight: 5 },
    { field: 'member_id', weight: 1 },
    { field: 'type', weight: 6 },
    { field: blockField, weight: 4 },
    { field: 'last_seen', weight: 3 },
  ],
  fields: ['user_id', 'room_id', 'room_name', 'room_type', 'member_id', 'type', blockField, 'last_seen'],
}

/**
 * Prints every room in which users are members, as they are found.
 * @param given ids of the users; `-` stands for those on standard input
 * @throws {PartialError} when some rooms could not be read
 * @throws {NotFoundError} when somebody is neither in a room nor a user
 */
export async function runUserRooms(
  context: Context,
  given: readonly string[],
  flags: PaceFlags,
): Promise<void> {
  const printer = await context.printer()
  printer.check(membershipView)
  const roomless = new Set(await readIds(given, context.host))
  const search = await MembershipSearch.open(context, flags, {
    users: new Set(roomless),
    withLastSeen: true,
    reports: true,
  })

  async function* pages(): AsyncGenerator<Page> {
    for await (const found of search.found()) {
      for (const { user_id } of found) roomless.delete(user_id)
      yield { items: found.map(rowOf) }
    }
  }

  // Each room alone, they would be under columns of the first one’s width.
  const shown = printer.options.format === 'table' ? together(pages()) : pages()
  await printer.list(membershipView, 'memberships', shown)
  const error = await search.end()
  if (error) throw error
  for (const user_id of roomless) await tellOfRoomless(context, user_id)
}

function rowOf({ user_id, room, member, lastSeen }: Membership): Item {
  return {
    user_id,
    room_id: room['id'],
    room_name: room['name'],
    room_type: room['type'],
    member_id: member['id'],
    type: member['type'],
    [blockField]: member[blockField],
    last_seen: lastSeen,
  }
}

/** @throws {NotFoundError} when there is no such user */
async function tellOfRoomless(context: Context, user_id: string): Promise<void> {
  await (await context.client()).call('getUser', { params: { user_id } })
  await context.notice(`${user_id} is a member of no room`)
}
