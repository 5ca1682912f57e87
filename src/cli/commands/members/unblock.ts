import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'
import { memberTargets, setBlocked, setBlockedInAllRooms } from './member-block.ts'

export function defineMemberUnblock(members: MeetroomCommand): void {
  defineTargetsCommand(members, {
    ...memberTargets,
    verb: 'unblock',
    summary: 'Unblock members',
    description:
      'Unblock members of a private room, so that they can join again. With --all-rooms, lists the rooms and asks for confirmation. With --from, unblocks the members in a file that “members block --save” wrote.',
    flags: (command) =>
      memberTargets
        .flags(command)
        .option(
          '--from <file>',
          'unblock exactly the members in this file, which “members block --save” wrote',
        ),
    runInstead: (context, given, flags) => setBlockedInAllRooms(context, 'unblock', given, flags),
    call: setBlocked(false),
    examples: [
      'meetroom members unblock 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
      'meetroom members unblock --user mallory --all-rooms',
      'meetroom members unblock --from mallory-blocks.ndjson',
    ],
  })
}
