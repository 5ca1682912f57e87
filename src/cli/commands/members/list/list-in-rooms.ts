import { readMembersOfRooms, UnreadRooms } from '../../../import/export-members.ts'
import type { Context } from '../../../kernel/context.ts'
import type { ListFlags } from '../../../kernel/flags.ts'
import { FullRecords } from '../../../lists/full-records.ts'
import { runRows } from '../../../lists/run-rows.ts'
import type { Page } from '../../../output/views/page.ts'
import { type RowOf, rowKinds } from '../../../output/views/rows.ts'
import type { Item } from '../../../output/views/views.ts'
import { groupPages } from '../../../run/print-all.ts'

/** @throws {MeetroomError} if the members of some rooms could not be read in full */
export async function listMembersInRooms(context: Context, flags: ListFlags): Promise<void> {
  const { concurrency, pageSize } = flags
  const unreadRooms = new UnreadRooms(context)
  const full = new FullRecords(context, 'listMembers', undefined, concurrency)

  async function* readPages(): AsyncGenerator<Page> {
    const all = { all: true, ...(pageSize !== undefined && { pageSize }) }
    const options = { selection: undefined, full, withLastSeen: false, unreadRooms, concurrency }
    const found = { ...options, withRoomNames: true, withAnonymous: true }
    for await (const { items } of readMembersOfRooms(context, 'all', all, found))
      yield { items: items.map(toRow) }
    unreadRooms.throwIfAny()
  }

  const { format } = (await context.printer()).options
  await runRows(
    context,
    rowKinds.roomMembers,
    format === 'table' ? groupPages(readPages()) : readPages(),
    flags,
  )
}

function toRow(member: Item): RowOf<'roomMembers'> {
  const { room_id, room_name, id, user_id, name, type, is_blocked, created_at } = member
  return { room_id, room_name, member_id: id, user_id, name, role: type, is_blocked, created_at }
}
