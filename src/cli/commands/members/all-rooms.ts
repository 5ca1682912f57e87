import { suggest, UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import type { ManyFlags } from '../../kernel/flags.ts'

interface AllRoomsFlags extends ManyFlags {
  allRooms?: boolean
  force?: boolean
}

/**
 * Does it to the members of all rooms who are some users, where `--all-rooms` says so.
 * @param given room and members, as they stand on the command line
 * @returns false where it says nothing
 * @throws {UsageError} when the command line names a room as well, or no user
 */
export async function setBlockedInAllRooms(
  context: Context,
  step: 'block' | 'unblock',
  given: readonly string[],
  flags: AllRoomsFlags,
): Promise<boolean> {
  const { allRooms = false, force = false, user, where } = flags
  if (!allRooms) return false
  if (given.length > 0) throw new UsageError('give a room or --all-rooms, not both')
  if (!user || where)
    throw new UsageError('--all-rooms needs --user', {
      hint: ['as in: ', suggest(['members', step, '--user', 'mallory', '--all-rooms'])],
    })
  const { runOffboarding } = await import('../users/offboard/run-offboarding.ts')
  await runOffboarding(context, [...new Set(user)], flags, { step, deletes: false, force })
  return true
}
