import { Option } from 'commander'
import type { DefineAction } from '../../kernel/action.ts'
import { addAlias, addExamples, addPagingFlags, type ListFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { RoomArgument, UserOption, userArgumentText } from '../../names/arguments.ts'

interface Flags extends ListFlags {
  user?: string
  online?: boolean
  offline?: boolean
}

export function defineSessionList(sessions: MeetroomCommand, act: DefineAction): void {
  const list = sessions
    .command('list')
    .summary('List the sessions of a room')
    .description('List the sessions of a room: who is connected and who was.')
    .addArgument(new RoomArgument())
    .addOption(new UserOption('--user <user>', `only sessions of this user: ${userArgumentText}`))
    .addOption(new Option('--online', 'only sessions that are connected').conflicts('offline'))
    .addOption(new Option('--offline', 'only sessions that have ended').conflicts('online'))
    .action(
      act('reads', (context, room_id: string, flags: Flags) => {
        const is_connecting = flags.online ? true : flags.offline ? false : undefined
        const query = { user_id: flags.user, is_connecting }
        return runList(context, 'listSessions', { params: { room_id }, query }, flags)
      }),
    )
  addPagingFlags(addAlias(list, 'ls'))
  addExamples(list, 'meetroom sessions list 66f1a2b3c4d5e6f708192a3b --online')
}
