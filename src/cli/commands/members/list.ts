import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { addPagingFlags, type ListFlags, matchingMembers } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { RoomArgument } from '../../names/arguments.ts'

export function defineMemberList(members: MeetroomCommand): void {
  const list: MeetroomCommand = members
    .command('list')
    .summary('List the members of a room, or of all rooms')
    .description(
      'List the members of a room. With --all-rooms, list the members of all rooms, with the names of the rooms.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option('--all-rooms', 'list the members of every room')
    .act('reads', async (context, room_id: string | undefined, flags: ListFlags & { allRooms?: boolean }) => {
      if (room_id !== undefined && flags.allRooms) throw createFlagConflict('a room', '--all-rooms')
      if (room_id !== undefined)
        return runList(context, 'listMembers', { params: { room_id }, query: {} }, flags)
      if (!flags.allRooms) return list.missingArgument('room')
      const { listMembersInRooms } = await import('./list/list-in-rooms.ts')
      return listMembersInRooms(context, flags)
    })
  addPagingFlags(list.alias('ls'), { where: matchingMembers })
  list.addExamples(
    'meetroom members list 66f1a2b3c4d5e6f708192a3b --all',
    "meetroom members list 'name:Weekly sync' -o ids",
    'meetroom members list --all-rooms --where role=host --sort room_name',
  )
}
