import { UsageError } from '../../../errors.ts'
import { defineBatchCommand } from '../../batch/define-batch-command.ts'
import type { DefineAction } from '../../kernel/action.ts'
import type { Context } from '../../kernel/context.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { lacksBlock } from '../../lists/blocking.ts'
import { setBlockedInAllRooms } from './all-rooms.ts'
import { blocking, memberBatch, setBlocked } from './member-block.ts'

export function defineMemberBlock(members: MeetroomCommand, act: DefineAction): void {
  defineBatchCommand(members, act, {
    ...memberBatch,
    ...blocking,
    pastTense: 'blocked',
    summary: 'Kick members out of a private room and keep them out',
    description:
      'Kick members out of a private room at once, and keep them out. Works only on private rooms.',
    destructive: true,
    flags: (command) =>
      memberBatch.flags(command).option('--force', 'send it even if the room is not private'),
    runInstead: (context, given, flags) => setBlockedInAllRooms(context, 'block', given, flags),
    check: (context, room, { force }) => (force ? Promise.resolve() : requirePrivateRoom(context, room)),
    call: setBlocked(true),
    examples: [
      'meetroom members block 66f1a2b3c4d5e6f708192a3b 66f1a2b3c4d5e6f708192a3c',
      'meetroom members block 66f1a2b3c4d5e6f708192a3b --user ada --user grace',
      'meetroom members block --user mallory --all-rooms',
    ],
  })
}

/**
 * Refuses rooms whose members cannot be blocked: the service would answer with a bare 500 (rule 2).
 * @throws {UsageError} when the room is not private
 */
async function requirePrivateRoom(context: Context, id: string): Promise<void> {
  if (context.flags.curl) return
  const { value } = await (await context.client()).call('getRoom', { params: { id } })
  if (lacksBlock(value.room.type))
    throw new UsageError(`blocking works only in private rooms, and room ${id} is ${value.room.type}`, {
      hint: 'pass --force to send it anyway',
    })
}
