import { readIds } from '../../input/input.ts'
import type { Context } from '../../kernel/context.ts'
import type { PaceFlags } from '../../kernel/flags.ts'
import { type Membership, MembershipSearch } from '../../lists/memberships.ts'
import type { Page } from '../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../output/views/rows.ts'
import { groupPages } from '../../run/print-all.ts'

/**
 * @throws {MeetroomError} if a room could not be read
 * @throws {NotFoundError} if a user without rooms does not exist
 */
export async function runUserRooms(
  context: Context,
  given: readonly string[],
  flags: PaceFlags,
): Promise<void> {
  const printer = await context.printer()
  printer.check(rowKinds.memberships)
  const withoutRooms = new Set(await readIds(given, context.host))
  const search = await MembershipSearch.open(context, flags, {
    users: new Set(withoutRooms),
    withLastSeen: true,
    reports: true,
  })

  async function* pages(): AsyncGenerator<Page> {
    for await (const found of search.found()) {
      for (const { user_id } of found) withoutRooms.delete(user_id)
      yield { items: found.map(toRow) }
    }
  }

  // Groups rows, so that the column widths fit the rows of several rooms.
  const shown = printer.options.format === 'table' ? groupPages(pages()) : pages()
  await printer.list(rowKinds.memberships, 'memberships', shown)
  const error = await search.end()
  if (error) throw error
  for (const user_id of withoutRooms) await noticeNoRooms(context, user_id)
}

function toRow({ user_id, room, member, lastSeen }: Membership): RowOf<'memberships'> {
  return {
    user_id,
    room_id: room['id'],
    room_name: room['name'],
    room_type: room['type'],
    member_id: member['id'],
    type: member['type'],
    is_blocked: member['is_blocked'],
    last_seen: lastSeen,
  }
}

async function noticeNoRooms(context: Context, user_id: string): Promise<void> {
  await (await context.client()).call('getUser', { params: { user_id } })
  await context.notice(`${user_id} is not a member of any room`)
}
