import { suggest, UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { hasNoBlock } from '../../records/blocking.ts'
import { defineTargetsCommand } from '../../targets/define-targets-command.ts'
import { blocking, memberTargets, setBlocked, setBlockedInAllRooms } from './member-block.ts'

export function defineMemberBlock(members: MeetroomCommand): void {
  defineTargetsCommand(members, {
    ...memberTargets,
    ...blocking,
    summary: 'Block members of a private room',
    description:
      'Block members of a private room. Their sessions end immediately, and they cannot join again.',
    destructive: true,
    flags: (command) =>
      memberTargets
        .flags(command)
        .option('--force', 'send the request even if the room is not private')
        .option(
          '--save <file>',
          'with --all-rooms, save these blocks to this new file, for members unblock --from',
        ),
    runInstead: (context, given, flags) => setBlockedInAllRooms(context, 'block', given, flags),
    check: (context, room, { force }) => (force ? Promise.resolve() : requirePrivateRoom(context, room)),
    call: setBlocked(true),
    examples: [
      'meetroom members block 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
      'meetroom members block 66f1a2b3c4d5e6f708192a3b --user ada --user grace',
      'meetroom members block --user mallory --all-rooms --save mallory-blocks.ndjson',
    ],
  })
}

/** Users can be blocked only in private rooms (API specification, “Endpoints”, rule 2). */
async function requirePrivateRoom(context: Context, id: string): Promise<void> {
  if (context.flags.curl) return
  const { value } = await (await context.client()).call('getRoom', { params: { id } })
  if (hasNoBlock(value.room.type))
    throw new UsageError(`room ${id} is ${value.room.type}, but users can be blocked only in private rooms`, {
      hint: ['to end all sessions of the room: ', suggest(['rooms', 'terminate'], id)],
    })
}
