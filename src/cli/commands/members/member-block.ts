import { createFlagConflict } from '../../../api/flag-conflict.ts'
import { member } from '../../../api/resources.ts'
import { suggestExample, UsageError } from '../../../errors.ts'
import { IdArgument } from '../../input/id-arguments.ts'
import type { Context } from '../../kernel/context.ts'
import type { TargetsFlags } from '../../kernel/flags.ts'
import type { MeetroomCommand } from '../../kernel/meetroom-command.ts'
import { createUserOption, RoomArgument } from '../../names/arguments.ts'
import { toBlockBody } from '../../records/blocking.ts'

export const memberTargets = {
  roomArgument: new RoomArgument('[room]'),
  ids: new IdArgument(
    '[member...]',
    `${member.descriptions.id}; repeatable, or - for IDs on standard input`,
    'member',
  ),
  list: 'listMembers',
  kind: 'member',
  flags: (command: MeetroomCommand) =>
    command
      .addOption(createUserOption('; repeatable'))
      .option('--all-rooms', 'select each --user in all rooms; prints one row per member'),
} as const

export const blocking = { verb: 'block', kind: 'member' } as const

export const setBlocked = (blocked: boolean) =>
  [
    'updateMember',
    (member_id: string, room_id: string) => ({
      params: { room_id, member_id },
      body: toBlockBody(blocked),
    }),
  ] as const

/**
 * @param given room and members from the command line
 * @returns false without `--all-rooms` and `--from`
 * @throws {UsageError} for missing or conflicting flags and arguments
 */
export async function setBlockedInAllRooms(
  context: Context,
  step: 'block' | 'unblock',
  given: readonly string[],
  flags: TargetsFlags & { allRooms?: boolean; force?: boolean; save?: string; from?: string },
): Promise<boolean> {
  const { allRooms = false, force = false, user, where, save, from } = flags
  if (from !== undefined && (allRooms || user || where || given.length > 0))
    throw new UsageError('--from cannot be used with a room, --user, --where or --all-rooms')
  if (save !== undefined && !allRooms) throw new UsageError('--save needs --all-rooms')
  if (!allRooms && from === undefined) return false
  if (given.length > 0) throw createFlagConflict('a room', '--all-rooms')
  if (allRooms && (!user || where)) {
    const details = {
      hint: ['as in: ', suggestExample(['members', step, '--user', 'mallory', '--all-rooms'])],
    }
    throw where
      ? createFlagConflict('--all-rooms', '--where', details)
      : new UsageError('--all-rooms needs --user', details)
  }
  const { runOffboarding } = await import('../users/offboard/run-offboarding.ts')
  await runOffboarding(context, [...new Set(user)], flags, { step, deletes: false, force, save, from })
  return true
}
