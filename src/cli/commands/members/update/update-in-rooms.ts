import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { suggest, UsageError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { throwNoMembers } from '../../../lists/user-members.ts'
import { type AddFlags, addToRooms } from '../../../targets/add-to-rooms.ts'

interface RoomsFlags extends AddFlags {
  user?: string[]
}

/**
 * @throws {UsageError} without exactly one user, or if the body contains `is_blocked`
 * @throws {NotFoundError} if the user does not exist or, without `--where`, is in no room
 */
export async function updateInRooms(
  context: Context,
  { type, ...body }: BodyOf<Operations['updateMember']>,
  flags: RoomsFlags,
): Promise<void> {
  const [user_id, ...others] = flags.user ?? []
  if (user_id === undefined) throw new UsageError(`${flags.where ? '--where' : '--all-rooms'} needs --user`)
  if (others.length > 0) throw new UsageError(`--user takes one user, not ${others.length + 1}`)
  if ('is_blocked' in body)
    throw new UsageError('this command changes a block in one room only', {
      hint: [
        'to change the block in all rooms: ',
        suggest(['members', body.is_blocked ? 'block' : 'unblock', '--user', user_id, '--all-rooms']),
      ],
    })
  const count = await addToRooms(
    context,
    {
      ...{ user_id, body, onlyMembers: true, roleIn: () => type ?? null, ifExists: 'update' },
      activity: 'changing a member in several rooms',
      describe: (user, rooms) => `change user ${user} in ${rooms}`,
    },
    flags,
  )
  if (count > 0) return
  if (flags.where === undefined) await throwNoMembers(context, [user_id])
  await context.notice(`${user_id} is not a member of any room that matches`)
}
