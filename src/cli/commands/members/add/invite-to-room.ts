import type { BodyOf } from '../../../../api/operation-types.ts'
import type { Operations } from '../../../../api/operations.ts'
import { toText } from '../../../../api/to-text.ts'
import { ConflictError } from '../../../../errors.ts'
import type { Context } from '../../../kernel/context.ts'
import { findMember } from '../../../lists/user-members.ts'
import { lookUpFirst } from '../../../records/look-up.ts'
import { findRecord } from '../../../records/records.ts'
import { showsValues } from '../../../records/shown-values.ts'
import { describeMember, type IfMember } from '../../../targets/add-to-rooms.ts'
import { runOne } from '../../shared/run-one.ts'

/**
 * Invites a user to one room. Without `ifExists`, the service decides about a user who is already a member.
 * @throws {ConflictError} when the user is a member and `ifExists` is `fail`
 */
export async function inviteToRoom(
  context: Context,
  room_id: string,
  body: BodyOf<Operations['addMember']>,
  ifExists: IfMember | undefined,
): Promise<void> {
  const { user_id, ...change } = body
  const member_id = ifExists && (await lookUpFirst(findMember(context, room_id, toText(user_id))))
  if (!member_id) return runOne(context, 'addMember', { params: { room_id }, body })
  const params = { room_id, member_id }
  if (ifExists === 'skip') return runOne(context, 'getMember', { params })
  const member = (await findRecord(await context.client(), { kind: 'member', id: member_id, room_id })) ?? {}
  if (ifExists === 'fail') throw new ConflictError(`${toText(user_id)} is ${describeMember(member)}`)
  if (showsValues(member, change)) return runOne(context, 'getMember', { params })
  await runOne(context, 'updateMember', { params, body: change })
}
