import type { DefineAction } from '../../kernel/action.ts'
import { addExamples, addPaceFlags, type PaceFlags, whereOption } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'

interface Flags extends PaceFlags {
  where?: readonly string[]
  allRooms?: boolean
  replay?: boolean
}

export function defineMemberLinks(members: MeetroomCommand, act: DefineAction): void {
  const link = members
    .command('links')
    .summary('Print a personal link for each member of a room')
    .description(
      'Print a personal link for each member of rooms, one row for each person and room, as for a mail merge. A link holds an access token: anyone with the link can enter the room as that person. --columns also takes fields of the user, such as email, and of the room, such as room_type.',
    )
    .addArgument(createRoomsArgument('rooms of the members: '))
    .option('--all-rooms', 'print links for the members of every room')
    .option(whereOption[0], "only members that match, as in 'type=guest'; repeatable", whereOption[2])
    .option('--replay', 'link to the recordings')
    .action(
      act('reads', async (context, given: string[], flags: Flags) => {
        const { runMemberLinks } = await import('../../links/run-links.ts')
        await runMemberLinks(context, given, flags)
      }),
    )
  addPaceFlags(link)
  addExamples(
    link,
    "meetroom members links 'name:Weekly sync' -o csv > invitations.csv",
    'meetroom members links --all-rooms -o csv --columns name,email,room_name,url',
    'meetroom members links --all-rooms -o csv > invitations.csv',
    "meetroom rooms list --where 'status=active' --all -o ids | meetroom members links - -o csv",
  )
}
