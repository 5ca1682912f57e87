import { Option } from 'commander'
import { addPaceFlags, addPagingFlags, type ListFlags, type PaceFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { runList } from '../../lists/run-list.ts'
import { NoRoomsError } from '../../lists/select-rooms.ts'
import { RoomArgument, UserOption, userArgumentText } from '../../names/arguments.ts'

interface Flags extends ListFlags, PaceFlags {
  user?: string
  online?: boolean
  offline?: boolean
  allRooms?: boolean
}

export function defineSessionList(sessions: MeetroomCommand): void {
  const list = sessions
    .command('list')
    .summary('List the sessions of a room, or of all rooms')
    .description(
      'List the online and ended sessions of a room. With --all-rooms, or with --where and no room, lists the sessions of ' +
        'all rooms, or of matching rooms, with room names, user names and roles.',
    )
    .addArgument(new RoomArgument('[room]'))
    .option('--all-rooms', 'list the sessions of every room')
    .addOption(new UserOption('--user <user>', `only sessions of this user: ${userArgumentText}`))
    .addOption(new Option('--online', 'only online sessions').conflicts('offline'))
    .addOption(new Option('--offline', 'only ended sessions').conflicts('online'))
    .act('reads', async (context, room_id: string | undefined, flags: Flags) => {
      const is_connecting = flags.online ? true : flags.offline ? false : undefined
      const query = { user_id: flags.user, is_connecting }
      if (room_id !== undefined && !flags.allRooms)
        return runList(context, 'listSessions', { params: { room_id }, query }, flags)
      if (room_id === undefined && !flags.allRooms && !flags.where) throw new NoRoomsError('a room, --where')
      const { listSessionsInRooms } = await import('./list/list-in-rooms.ts')
      return listSessionsInRooms(context, room_id === undefined ? [] : [room_id], query, flags)
    })
  list.selectsRooms = 'without arguments'
  addPaceFlags(
    addPagingFlags(list.alias('ls'), {
      where: "only sessions that match, as in 'status=online'; without a room, only rooms that match",
      sort: 'name,-connected_at',
    }),
  )
  list.addExamples(
    'meetroom sessions list 66f1a2b3c4d5e6f708192a3b --online',
    'meetroom sessions list --all-rooms --online',
    "meetroom sessions list --where 'name~^Maths' --online --count-by room_name",
  )
}
