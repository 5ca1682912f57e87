import type { DefineAction } from '../../kernel/action.ts'
import { addAlias, addExamples, addPagingFlags, type ListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { RoomArgument } from '../../names/arguments.ts'

export function defineMemberList(members: MeetroomCommand, act: DefineAction): void {
  const list = members
    .command('list')
    .summary('List the members of a room')
    .description('List the members of a room.')
    .addArgument(new RoomArgument())
    .action(
      act('reads', (context, room_id: string, flags: ListFlags) =>
        runList(context, 'listMembers', { params: { room_id }, query: {} }, flags),
      ),
    )
  addPagingFlags(addAlias(list, 'ls'))
  addExamples(
    list,
    'meetroom members list 66f1a2b3c4d5e6f708192a3b --all',
    "meetroom members list 'name:Weekly sync' -o ids",
  )
}
