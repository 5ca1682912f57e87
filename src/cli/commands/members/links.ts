import { addPaceFlags, createWhereOption, matchingMembers } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createRoomsArgument } from '../../names/arguments.ts'

export function defineMemberLinks(members: MeetroomCommand): void {
  const link = members
    .command('links')
    .summary('Print a personal link for each member of a room')
    .description(
      'Print a personal link for each member of the rooms, one row per member, as for a mail merge. A link contains an access token: anyone with the link can join the room as that user. --columns also accepts fields of the user, such as email, and of the room, such as room_type.',
    )
    .addArgument(createRoomsArgument('print links for the members of these rooms: '))
    .option('--all-rooms', 'print links for the members of every room')
    .option(...createWhereOption(matchingMembers))
    .option('--replay', 'link to the recordings')
    .actLater('reads', async () => (await import('../../links/run-links.ts')).runMemberLinks)
  addPaceFlags(link)
  link.addExamples(
    "meetroom members links 'name:Weekly sync' -o csv > invitations.csv",
    'meetroom members links --all-rooms -o csv --columns name,email,room_name,link',
    'meetroom members links --all-rooms -o csv > invitations.csv',
    "meetroom rooms list --where 'status=active' --all -o ids | meetroom members links - -o csv",
  )
}
