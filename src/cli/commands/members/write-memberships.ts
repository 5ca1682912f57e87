import type { RequestBody } from '../../../api/operations.ts'
import { toText } from '../../../api/to-text.ts'
import { ConflictError, suggest, UsageError } from '../../../errors.ts'
import type { Context } from '../../kernel/context.ts'
import { findMember, throwNoMembers } from '../../lists/user-members.ts'
import { lookUpFirst } from '../../records/look-up.ts'
import { type IfMember, planMembership } from '../../records/membership-plan.ts'
import { findRecord } from '../../records/records.ts'
import { type AddFlags, addToRooms } from '../../targets/add-to-rooms.ts'
import { runOne } from '../shared/run-one.ts'

/**
 * Without `ifExists`, sends the invitation even for an existing member.
 * @throws {ConflictError} if the user is a member and `ifExists` is `fail`
 */
export async function inviteToRoom(
  context: Context,
  room_id: string,
  body: RequestBody<'addMember'>,
  ifExists: IfMember | undefined,
): Promise<void> {
  const { user_id, ...values } = body
  const listed = ifExists && (await lookUpFirst(findMember(context, room_id, toText(user_id))))
  if (!listed) return runOne(context, 'addMember', { params: { room_id }, body })
  const params = { room_id, member_id: String(listed['id']) }
  if (ifExists === 'skip') return runOne(context, 'getMember', { params })
  // Members in lists may lack fields.
  const member = await findRecord(await context.client(), { kind: 'member', id: params.member_id, room_id })
  const plan = planMembership(member ?? listed, { values, ifExists })
  if (plan.action === 'refuse') throw new ConflictError(`${toText(user_id)} is ${plan.error.message}`)
  if (plan.action === 'change') return runOne(context, 'updateMember', { params, body: values })
  await runOne(context, 'getMember', { params })
}

export async function inviteToSelectedRooms(
  context: Context,
  { user_id, type, ...body }: RequestBody<'addMember'>,
  flags: AddFlags & { ifExists?: IfMember },
): Promise<void> {
  const role = type === undefined || type === null ? '' : ` as ${toText(type)}`
  const count = await addToRooms(
    context,
    {
      user_id: toText(user_id),
      roleIn: () => type ?? null,
      ifExists: flags.ifExists ?? 'skip',
      body,
      activity: 'inviting a user to rooms',
      describe: (user, rooms) => `invite user ${user} to ${rooms}${role}`,
    },
    flags,
  )
  if (count === 0) await context.notice('no rooms; nothing to do')
}

/**
 * @throws {UsageError} without exactly one user, or if the body contains `is_blocked`
 * @throws {NotFoundError} if the user does not exist or, without `--where`, is in no room
 */
export async function updateInRooms(
  context: Context,
  { type, ...body }: RequestBody<'updateMember'>,
  flags: AddFlags & { user?: string[] },
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
