import { addPaceFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUsersArgument } from '../../names/arguments.ts'

export function defineUserRooms(users: MeetroomCommand): void {
  const rooms = users
    .command('rooms')
    .summary('List every room in which users are members')
    .description(
      'List the rooms of users, with role, block and last session. The API cannot list rooms by user, so the command reads the members of every room.',
    )
    .addArgument(createUsersArgument('<user...>'))
  addPaceFlags(rooms).actLater('reads', async () => (await import('./list-user-rooms.ts')).runUserRooms)
  rooms.addExamples('meetroom users rooms ada', 'meetroom users rooms ada grace -o csv > access.csv')
}
