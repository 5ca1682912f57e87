import { addPaceFlags, createWhereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument, UserOption, userArgumentText } from '../../names/arguments.ts'

export function defineRoomLink(rooms: MeetroomCommand): void {
  const link = rooms
    .command('link')
    .summary('Print links to rooms')
    .description(
      'Print a link to each room, for one user or without a token. Links without a token work only in open rooms. The setting join_url or replay_url is the template; links to the embedded service lead to its room page. --columns also accepts fields of the user, such as email, and of the room, such as room_type.',
    )
    .addArgument(createRoomsArgument())
    .option('--all-rooms', 'print a link to every room')
    .option(...createWhereOption("only rooms that match, as in 'type=open'"))
    .addOption(new UserOption('--as <user>', `link with the access token of this user: ${userArgumentText}`))
    .option('--replay', 'link to the recording')
    .actLater('reads', async () => (await import('../../links/run-links.ts')).runRoomLinks)
  addPaceFlags(link)
  link.addExamples(
    "meetroom rooms link 'name:Weekly sync' --as ada",
    "meetroom rooms link --where 'type=open' --where 'status=active' -o csv > links.csv",
    'meetroom rooms link 66f1a2b3c4d5e6f708192a3b --as ada --replay',
  )
}
