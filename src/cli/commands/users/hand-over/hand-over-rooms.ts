import { ApiError, suggest, UsageError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { readRole } from '../../../records/membership-plan.ts'
import {
  type AddFlags,
  type Addition,
  addToRooms,
  selectMembershipOf,
} from '../../../targets/add-to-rooms.ts'

export function createHandOver({ from, to }: { from: string; to: string }, role?: string): Addition {
  if (from === to) throw new UsageError(`the users must be different, not both “${from}”`)
  return {
    user_id: to,
    others: [from],
    roleIn(memberships) {
      const member = selectMembershipOf(from, memberships)
      if (!member) return undefined
      const problem = `the service does not show the role of ${from}; pass --role`
      return role ?? readRole(member) ?? { status: 'failed', error: new ApiError(problem) }
    },
    ifExists: 'raise',
    activity: 'handing over rooms',
    describe: (user, rooms) => `give user ${user} the role ${role ?? `of user ${from}`} in ${rooms}`,
  }
}

/**
 * @throws {UsageError} if both are the same user
 * @throws {NotFoundError} if `to` does not exist, or `from` neither exists nor is in a selected room
 */
export async function handOverRooms(
  context: Context,
  from: string,
  to: string,
  { role, ...flags }: AddFlags & { role?: string },
): Promise<void> {
  const count = await addToRooms(context, createHandOver({ from, to }, role), flags)
  const { dryRun } = context.flags
  if (count > 0) {
    if (!dryRun && flags.where === undefined)
      await context.notice(['to offboard the other user: ', suggest(['users', 'offboard'], from)])
    return
  }
  // Distinguishes a user who does not exist from a user without rooms.
  await (await context.client()).call('getUser', { params: { user_id: from } })
  await context.notice(`${from} is not a member of any room${flags.where ? ' that matches' : ''}`)
}
