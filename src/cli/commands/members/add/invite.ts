import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { toText } from '../../../../api/to-text.ts'
import { ConflictError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { findMember } from '../../../lists/user-members.ts'
import { lookUpFirst } from '../../../records/look-up.ts'
import { type IfMember, planMembership } from '../../../records/membership-plan.ts'
import { findRecord } from '../../../records/records.ts'
import { type AddFlags, addToRooms } from '../../../targets/add-to-rooms.ts'
import { runOne } from '../../shared/run-one.ts'

/**
 * Without `ifExists`, sends the invitation even for an existing member.
 * @throws {ConflictError} if the user is a member and `ifExists` is `fail`
 */
export async function inviteToRoom(
  context: Context,
  room_id: string,
  body: BodyOf<Operations['addMember']>,
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
  { user_id, type, ...body }: BodyOf<Operations['addMember']>,
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
