import { suggest, UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { BatchFlags } from '../../kernel/flags.ts'

interface AllRoomsFlags extends BatchFlags {
  allRooms?: boolean
  force?: boolean
}

/**
 * With `--all-rooms`, blocks or unblocks users in all rooms.
 * @param given room and members from the command line
 * @returns false without `--all-rooms`
 * @throws {UsageError} when the command line also names a room, or names no user
 */
export async function setBlockedInAllRooms(
  context: Context,
  step: 'block' | 'unblock',
  given: readonly string[],
  flags: AllRoomsFlags,
): Promise<boolean> {
  const { allRooms = false, force = false, user, where } = flags
  if (!allRooms) return false
  if (given.length > 0) throw new UsageError('pass a room or --all-rooms, not both')
  if (!user || where)
    throw new UsageError('--all-rooms needs --user', {
      hint: ['as in: ', suggest(['members', step, '--user', 'mallory', '--all-rooms'])],
    })
  const { runOffboarding } = await import('../users/offboard/run-offboarding.ts')
  await runOffboarding(context, [...new Set(user)], flags, { step, deletes: false, force })
  return true
}
